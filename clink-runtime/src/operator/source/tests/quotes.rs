//! Quotes that are opened and never closed, in CSV files.

use proptest::prelude::*;

use crate::error::Error;

use super::super::{CsvSource, RecordError};
use super::flight::Flight;
use super::{Input, Limits, gzip, read_all};

type Cells = CsvSource<String>;

fn check(text: &str, expected: &str) {
    let bytes = text.as_bytes();
    for packed in [bytes.to_vec(), gzip(bytes)] {
        assert_eq!(Input::new("x.csv", packed).error::<CsvSource<Flight>>(), expected, "{text:?}");
    }
}

#[test]
fn an_open_quote_is_named_with_the_line_it_starts_in() {
    let header = "carrier,dep_delay,gate\n";
    let open = "column `gate`: a quote is opened and never closed";
    // The right number of cells, and a cell that could be read.
    check(&format!("{header}UA,1,1\nUA,1,\"1"), &format!("x.csv:3: {open} (byte 30)"));
    check(&format!("{header}UA,1,\"1\n"), &format!("x.csv:2: {open} (byte 23)"));
    check(&format!("{header}UA,1,\"1\"\"\r\nUA,1,1\n"), &format!("x.csv:2: {open} (byte 23)"));
    check(&format!("{header}UA,1,\""), &format!("x.csv:2: {open} (byte 23)"));
    check(
        &format!("{header}UA,1,1\n\n\"UA,1,1\nUA,1,1\n"),
        "x.csv:4: column `carrier`: a quote is opened and never closed (byte 31)",
    );
    check(
        &format!("{header}UA,1,1,\"1\n"),
        "x.csv:2: a quote is opened and never closed (byte 23): UA,1,1,1",
    );
    check(
        "\"carrier,gate\nUA,1\n",
        "x.csv:1: a quote is opened and never closed (byte 0): carrier,gate UA,1",
    );
    // More cells than there is room for at first, and a column without a name.
    let many = "1,".repeat(32);
    check(
        &format!("gate,carrier,dep_delay{}\n{many}\"", ",".repeat(30)),
        &format!("x.csv:2: a quote is opened and never closed (byte 53): {many}"),
    );
}

/// True if a line behind the text would be part of its last record.
fn is_open(text: &str) -> bool {
    let text = format!("{text}\nend\n");
    let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let last = reader.into_records().last().unwrap().unwrap();
    last.get(0) != Some("end")
}

/// What reading comes to.
fn read(path: &str, limits: Limits, wanted: u32) -> Result<Vec<String>, Box<RecordError>> {
    let fault =
        |error: Error| Box::new(error.source().downcast_ref::<RecordError>().unwrap().clone());
    read_all::<Cells>(path, limits, wanted).map_err(fault)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn only_the_end_of_the_file_finds_a_quote_open(
        parts in prop::collection::vec(
            prop::sample::select(vec!["a", "\"", "\"\"", "\n", "\n\"", "\"\n", "\r\n", "ü"]),
            0..60,
        ),
        block_bytes in 1..100usize,
    ) {
        let text = format!("v\n{}", parts.concat());
        let limits = Limits { block_bytes, ..Limits::default() };
        let input = Input::new("x", &text);
        let whole = read(&input.path, limits, 1);
        prop_assert_eq!(whole.is_err(), is_open(&text));
        if let Err(fault) = &whole {
            prop_assert_eq!(&fault.reason, "a quote is opened and never closed");
            prop_assert_eq!(fault.column.as_deref(), Some("v"));
            let start = usize::try_from(fault.byte.unwrap()).unwrap();
            prop_assert!(is_open(&text[start..]) && !is_open(&text[..start]));
        }
        // Also however the file is divided: no split but the last ends inside quotes.
        for wanted in [2, 3, 8] {
            prop_assert_eq!(&read(&input.path, limits, wanted), &whole);
        }
        let packed = Input::new("x", gzip(text.as_bytes()));
        let found = read(&packed.path, limits, 1);
        let place = |error: Box<RecordError>| (error.line, error.byte);
        prop_assert_eq!(found.clone().map_err(place), whole.clone().map_err(place));
    }
}
