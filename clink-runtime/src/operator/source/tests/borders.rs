//! Properties: however a file is divided and wherever it is restarted, each row comes once.

use proptest::prelude::*;

use super::super::{CsvSource, FileSplit, NdjsonSource};
use super::flight::{Flight, flight};
use super::{FileSource, Input, Limits, read_all, read_with_restarts};

/// Text with everything that could be taken for a border.
fn text() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "a",
        "\"",
        "\"\"",
        "\n",
        "\r\n",
        ",",
        " ",
        "ü",
        "\u{feff}",
        "日本",
        "x".repeat(40).leak(),
    ]);
    prop::collection::vec(parts, 0..6).prop_map(|parts| parts.concat())
}

fn plain_text() -> impl Strategy<Value = String> {
    "[a-z ü]{0,12}"
}

fn rows(text: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<Flight>> {
    let row = (text, any::<Option<i64>>(), any::<u32>());
    prop::collection::vec(
        row.prop_map(|(carrier, delay, gate)| flight(&carrier, delay, gate)),
        0..40,
    )
}

fn to_csv(rows: &[Flight], crlf: bool, mark: bool) -> Vec<u8> {
    let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
    let start = if mark { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
    let mut writer = csv::WriterBuilder::new().terminator(terminator).from_writer(start);
    writer.write_record(["dep_delay", "carrier", "gate"]).unwrap();
    for row in rows {
        let delay = row.dep_delay.map(|delay| delay.to_string()).unwrap_or_default();
        writer.write_record([delay, row.carrier.clone(), row.gate.to_string()]).unwrap();
    }
    writer.into_inner().unwrap()
}

fn to_ndjson(rows: &[Flight], crlf: bool, mark: bool) -> Vec<u8> {
    let mut text = if mark { "\u{feff}".to_owned() } else { String::new() };
    for row in rows {
        let json = serde_json::json!({
            "carrier": row.carrier, "dep_delay": row.dep_delay, "gate": row.gate,
        });
        text.push_str(&format!("{json}{}", if crlf { "\r\n" } else { "\n" }));
    }
    text.into_bytes()
}

/// Divides, restarts, cuts the blocks small: the rows stay the same.
fn check<S: FileSource<Out = Flight>>(
    bytes: &[u8],
    rows: &[Flight],
    (block_bytes, step): (usize, usize),
) -> Result<(), TestCaseError> {
    let input = Input::new("x", bytes);
    let limits = Limits { block_bytes, ..Limits::default() };
    for wanted in 1..=8 {
        let splits = S::at(&input.path, limits).splits(wanted).unwrap();
        prop_assert!(splits.len() <= wanted as usize);
        prop_assert!(splits.iter().all(|split| split.start < split.end));
        let joined = splits.windows(2).all(|pair| pair[0].end == pair[1].start);
        prop_assert!(joined && splits.last().is_none_or(|last| last.end == bytes.len() as u64));
        prop_assert_eq!(&read_all::<S>(&input.path, limits, wanted).unwrap()[..], rows);
    }
    prop_assert_eq!(&read_with_restarts::<S>(&input.path, limits, step)[..], rows);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn csv_rows_come_once_i03(
        rows in prop_oneof![rows(text()), rows(plain_text())],
        (crlf, mark, is_cut) in any::<(bool, bool, bool)>(),
        sizes in (1..200usize, 1..12usize),
    ) {
        let mut bytes = to_csv(&rows, crlf, mark);
        if is_cut {
            // The last line may lack its newline.
            bytes.truncate(bytes.trim_ascii_end().len());
        }
        check::<CsvSource<Flight>>(&bytes, &rows, sizes)?;
    }

    #[test]
    fn ndjson_rows_come_once(
        rows in rows(text()),
        (crlf, mark, is_cut) in any::<(bool, bool, bool)>(),
        sizes in (1..200usize, 1..12usize),
    ) {
        let mut bytes = to_ndjson(&rows, crlf, mark);
        if is_cut {
            bytes.truncate(bytes.trim_ascii_end().len());
        }
        check::<NdjsonSource<Flight>>(&bytes, &rows, sizes)?;
    }
}

#[test]
fn a_file_without_quotes_is_divided_near_equal_shares() {
    let row = "UA,5,1\n";
    let input = Input::new("x.csv", format!("carrier,dep_delay,gate\n{}", row.repeat(10_000)));
    let splits = input.splits::<CsvSource<Flight>>(8).unwrap();
    let shares: Vec<u64> = splits.iter().map(|split| split.end - split.start).collect();
    assert_eq!(shares, [8_750; 8]);
    assert_eq!(splits[0], FileSplit::new(&input.path, 23, 23 + 8_750));
}

#[test]
fn splits_that_would_be_empty_are_dropped() {
    let long = format!("{{\"carrier\":\"{}\",\"gate\":1}}\n", "x".repeat(1_000));
    let input = Input::new("x.ndjson", &long);
    assert_eq!(input.splits::<NdjsonSource<Flight>>(8).unwrap().len(), 1);
    let input = Input::new("x.ndjson", "");
    assert!(input.splits::<NdjsonSource<Flight>>(8).unwrap().is_empty());
    let input = Input::new("x.csv", "carrier,dep_delay,gate");
    assert!(input.splits::<CsvSource<Flight>>(8).unwrap().is_empty());
}
