//! Holds keys to their frozen bytes and groups, in this process and in another.

use std::process::Command;

use clink_plan::key_group::{Fnv1a64, KeyEncode, KeyWrite, key_group_of};

use crate::key_groups::bytes;

#[track_caller]
fn check_key<K: KeyEncode + ?Sized>(key: &K, expect: &[u8], group: u16) {
    assert_eq!(bytes(key), expect);
    assert_eq!(key_group_of(key).0, group, "{expect:?}");
}

/// Frozen: a change here moves the state of every job. Derived keys are in `clink/tests/jobs`.
#[test]
fn keys_have_their_frozen_bytes_and_groups_k01() {
    check_key(&false, &[0x00], 95);
    check_key(&true, &[0x01], 44);
    check_key(&-2i8, &[0xfe], 33);
    check_key(&200u8, &[0xc8], 55);
    check_key(&-2i16, &[0xfe, 0xff], 58);
    check_key(&0x0102u16, &[0x02, 0x01], 12);
    check_key(&-2i32, &[0xfe, 0xff, 0xff, 0xff], 64);
    check_key(&0x0102_0304u32, &[0x04, 0x03, 0x02, 0x01], 53);
    check_key(&-2i64, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 28);
    check_key(&u64::MAX, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 61);
    check_key(&-1i128, &[0xff; 16], 85);
    check_key(
        &1u128,
        &[
            0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00,
        ],
        36,
    );
    check_key(&'a', &[0x61], 12);
    check_key(&'ü', &[0xc3, 0xbc], 106);
    check_key(&'🦀', &[0xf0, 0x9f, 0xa6, 0x80], 102);
    check_key("", &[], 37);
    check_key("ü", &[0xc3, 0xbc], 106);
    check_key(&"ü".to_owned(), &[0xc3, 0xbc], 106);
    check_key(&Vec::<u8>::new(), &[], 37);
    check_key(&vec![0u8, 255], &[0x00, 0xff], 96);
    check_key(&[7u8, 8], &[0x07, 0x08], 10);
    check_key(&None::<u8>, &[0x00], 95);
    check_key(&None::<String>, &[0x00], 95);
    check_key(&Some(9u8), &[0x01, 0x09], 95);
    check_key(&Some(""), &[0x01], 44);
    check_key(&Some(None::<u8>), &[0x01, 0x00], 68);
    check_key(&(), &[], 37);
    check_key(&(5u8,), &[0x05], 96);
    check_key(&("ab", 1u8), &[0x02, 0x00, 0x00, 0x00, 0x61, 0x62, 0x01], 19);
    check_key(
        &(1u8, "x", 2u8),
        &[0x01, 0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x78, 0x02],
        16,
    );
    check_key(
        &(true, (), "", ()),
        &[0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
        127,
    );
    check_key(
        &((1u8, "x"), Some("y")),
        &[0x06, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x78, 0x01, 0x79],
        77,
    );
    check_key(&&&3u8, &[0x03], 18);
}

/// Three ways to have no key, and what is next to each of them.
#[test]
fn no_key_empty_text_and_empty_bytes_are_three_keys_k10() {
    let inner = [bytes(&None::<String>), bytes(&Some(String::new())), bytes(&Some("a"))];
    assert_eq!(inner, [vec![0], vec![1], vec![1, b'a']]);
    assert_eq!([bytes(""), bytes(&Vec::<u8>::new())], [Vec::<u8>::new(), Vec::new()]);
    let nested = [None, Some(None), Some(Some(""))].map(|key: Option<Option<&str>>| bytes(&key));
    assert_eq!(nested, [vec![0], vec![1, 0], vec![1, 1]]);
}

/// Says which process is to print digests instead of comparing them.
const CHILD: &str = "CLINK_TEST_PRINT_KEY_DIGEST";

/// How many keys of each type.
const KEYS: i64 = 10_000;

/// The hash of all groups of many keys of one type, in their order.
fn digest<K: KeyEncode>(name: &str, key: impl Fn(i64) -> K) -> String {
    let mut hash = Fnv1a64::new();
    for n in 0..KEYS {
        hash.write(&key_group_of(&key(n)).0.to_le_bytes());
    }
    format!("digest {name} {:016x}", hash.finish())
}

fn digests() -> Vec<String> {
    // Spread over the whole width of the type, negative numbers included.
    let wide = |n: i64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed());
    vec![
        digest("i64 dense", |n| n),
        digest("i64 wide", wide),
        digest("u32", |n| n as u32),
        digest("u16", |n| n as u16),
        digest("i128", |n| i128::from(wide(n)) << 40),
        digest("bool", |n| n % 2 == 0),
        digest("char", |n| char::from_u32(n as u32).unwrap_or('?')),
        digest("String", |n| format!("user-{n}")),
        digest("Vec<u8>", |n| n.to_le_bytes()[..n as usize % 9].to_vec()),
        digest("Option<i64>", |n| (n % 3 != 0).then_some(n)),
        digest("(String, i64)", |n| (format!("{}", n % 10), n)),
        digest("(i64, bool, Option<String>)", |n| (n, n % 2 == 0, Some(format!("{n}")))),
    ]
}

#[test]
fn another_process_has_the_same_groups_k02() {
    if std::env::var_os(CHILD).is_some() {
        println!("\n{}", digests().join("\n"));
        return;
    }
    let stored: Vec<&str> = include_str!("../golden/key-group-digests.txt").lines().collect();
    assert_eq!(digests(), stored, "key groups are those of every release before");
    let this = "key_stability::another_process_has_the_same_groups_k02";
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", this, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let output = String::from_utf8(child.stdout).unwrap();
    assert!(child.status.success(), "{output}");
    let printed: Vec<&str> = output.lines().filter(|line| line.starts_with("digest ")).collect();
    assert_eq!(printed, stored);
}
