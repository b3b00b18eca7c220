//! Shows that a manifest survives a round trip and nothing else.

use std::path::Path;

use super::*;

fn identity(uid: &str) -> OperatorIdentity {
    OperatorIdentity { id: OperatorId::from_uid(uid), uid: uid.into() }
}

fn file(operator: &str, slot: &str, subtask_index: u32, range: (u16, u16)) -> ManifestFile {
    ManifestFile {
        subtask_index,
        slot: slot.into(),
        scope: SlotScope::Keyed,
        by_name: false,
        path: format!("{operator}/{subtask_index}-{slot}.arrow"),
        bytes: 1_000,
        rows: 12,
        crc32: 0xabc,
        key_groups: KeyGroupRange { start: range.0, end: range.1 },
    }
}

fn sample() -> Manifest {
    Manifest {
        job: "delays \"é\"".into(),
        id: CheckpointId(7),
        created_at_ms: -5,
        operators: vec![
            ManifestOperator {
                identity: identity("b"),
                parallelism: 2,
                files: vec![file("b", "sum", 1, (64, 128)), file("b", "sum", 0, (0, 64))],
                finished: vec![],
            },
            ManifestOperator {
                identity: identity("a"),
                parallelism: 1,
                files: vec![],
                finished: vec![0],
            },
        ],
    }
}

fn decode(bytes: &[u8]) -> Result<Manifest, CheckpointError> {
    Manifest::decode(Path::new("manifest.json"), bytes)
}

#[test]
fn a_manifest_reads_back_in_its_documented_order() {
    let bytes = sample().encode();
    let back = decode(&bytes).unwrap();
    let mut expect = sample();
    expect.sort();
    assert_eq!(back, expect);
    assert_eq!(back.encode(), bytes);
    assert_eq!(back.operators[0].identity.uid, "a");
    assert_eq!(back.bytes(), 2_000);
    assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(), "it is plain JSON");
}

#[test]
fn any_changed_byte_and_any_cut_is_damage() {
    let bytes = sample().encode();
    let damaged = |bytes: &[u8]| matches!(decode(bytes), Err(CheckpointError::Corrupt { .. }));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            assert!(damaged(&flipped), "byte {at} bit {bit}");
        }
        assert!(damaged(&bytes[..at]), "cut at {at}");
    }
    assert!(damaged(&[bytes.as_slice(), b"\n"].concat()));
}

/// Changes the text of the sample's manifest and seals it again, as a later release or a person
/// with an editor would.
fn resealed(from: &str, to: &str) -> Result<Manifest, CheckpointError> {
    let text = String::from_utf8(sample().encode()).unwrap();
    let (body, _) = text.split_once(",\n  \"crc32\": \"").filter(|_| text.contains(from)).unwrap();
    // A file's own checksum has a deeper indent, so the first match is the seal.
    let body = body.replacen(from, to, 1);
    let crc32 = crc32fast::hash(body.as_bytes());
    decode(format!("{body},\n  \"crc32\": \"{crc32:08x}\"\n}}\n").as_bytes())
}

fn check(from: &str, to: &str, reason: &str) {
    let error = resealed(from, to).unwrap_err();
    assert!(matches!(error, CheckpointError::Manifest { .. }), "{error}");
    assert!(error.to_string().contains(reason), "{error}");
}

#[test]
fn a_newer_format_is_refused_by_its_number_whatever_else_it_holds() {
    let error = resealed("\"format\": 1", "\"format\": 3,\n  \"more\": [1]").unwrap_err();
    assert!(matches!(error, CheckpointError::NewerFormat { found: 3, supported: 2, .. }));
}

#[test]
fn only_a_manifest_with_a_slot_by_name_needs_the_format_that_says_so() {
    let text = |manifest: &Manifest| String::from_utf8(manifest.encode()).unwrap();
    let mut manifest = sample();
    assert!(text(&manifest).starts_with("{\n  \"format\": 1,"));
    assert!(!text(&manifest).contains("by_name"));
    manifest.operators[0].files.iter_mut().for_each(|file| file.by_name = true);
    let bytes = manifest.encode();
    assert!(text(&manifest).starts_with("{\n  \"format\": 2,"), "{}", text(&manifest));
    manifest.sort();
    assert_eq!(decode(&bytes).unwrap(), manifest);
}

#[test]
fn a_whole_manifest_that_contradicts_itself_is_refused() {
    check("\"job\"", "\"jab\"", "unknown field `jab`");
    check("\"id\": 7", "\"id\": \"7\"", "invalid type");
    check("\"00000abc\"", "\"00000ABC\"", "crc32 `00000ABC` is not 8 hex digits");
    check("b/0-sum.arrow", "../0-sum.arrow", "leaves the checkpoint's folder");
    check("b/0-sum.arrow", "b/1-sum.arrow", "two slots are in `b/1-sum.arrow`");
    check("\"subtask_index\": 0", "\"subtask_index\": 1", "two files hold slot `sum`");
    check("\"subtask_index\": 0", "\"subtask_index\": 2", "of subtask 2 at parallelism 2");
    check("\"scope\": \"keyed\"", "\"scope\": \"operator\"", "is keyed in one subtask and not");
    let by_name = |scope: &str| format!("\"scope\": \"{scope}\",\n          \"by_name\": true");
    check("\"scope\": \"keyed\"", &by_name("keyed"), "is a field in one subtask and not");
    check("\"parallelism\": 2", "\"parallelism\": 32769", "`b`: its parallelism is 32769");
    check("        64,", "        63,", "hold key group 63");
    check("        128\n", "        129\n", "has the key groups 64..129");
}
