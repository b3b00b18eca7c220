//! Standard input's like and peers: what gives its bytes once.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use crate::operator::contract::Source;

use super::super::{CsvSource, FileSplit, NdjsonSource, TextSource, csv, ndjson, text};
use super::{FileSource, gzip, run};

/// A peer that says something to whoever connects, and its address.
fn peer(say: impl FnOnce(TcpStream) + Send + 'static) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let path = format!("tcp://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || say(listener.accept().unwrap().0));
    (path, thread)
}

fn read<S: FileSource>(mut source: S, path: &str) -> Vec<S::Out> {
    run(&mut source, vec![FileSplit::whole(path)], None).unwrap().0
}

#[test]
fn what_a_peer_sends_is_read_to_the_end_in_whatever_pieces_it_comes() {
    let bytes = b"n,text\n1,a\n2,\"b\nc\"\n3,d";
    for size in [1, 2, 3, 7, 100] {
        let (path, thread) = peer(move |mut stream| {
            for piece in bytes.chunks(size) {
                stream.write_all(piece).unwrap();
                stream.flush().unwrap();
            }
        });
        let found: Vec<(i64, String)> = read(csv(path.as_str()), &path);
        let expected = [(1, "a"), (2, "b\nc"), (3, "d")].map(|(n, text)| (n, text.to_owned()));
        assert_eq!(found, expected, "pieces of {size}");
        thread.join().unwrap();
    }
}

#[test]
fn packed_streams_are_unpacked_as_they_come() {
    for bytes in [gzip(b"1\n2\n"), zstd::encode_all(&b"1\n2\n"[..], 1).unwrap(), b"1\n2".to_vec()] {
        let (path, thread) = peer(move |mut stream| stream.write_all(&bytes).unwrap());
        assert_eq!(read::<NdjsonSource<i64>>(ndjson(path.as_str()), &path), [1, 2]);
        thread.join().unwrap();
    }
}

#[test]
fn a_word_that_looks_like_packed_data_is_text() {
    for word in ["P", "P*", "(\u{b5}", "(", ""] {
        let (path, thread) = peer(move |mut stream| stream.write_all(word.as_bytes()).unwrap());
        let expected: Vec<&str> = [word].into_iter().filter(|word| !word.is_empty()).collect();
        assert_eq!(read::<TextSource>(text(path.as_str()), &path), expected);
        thread.join().unwrap();
    }
}

#[test]
fn a_stream_is_one_split_and_a_peer_has_no_end_of_its_own() {
    for path in ["-", "tcp://localhost:9"] {
        assert_eq!(csv::<i64>(path).splits(8).unwrap(), [FileSplit::whole(path)]);
        assert!(csv::<i64>(path).unsplittable().is_some());
        assert!(csv::<i64>(path).check().is_ok());
    }
    assert!(csv::<i64>("-").is_bounded() && !csv::<i64>("tcp://localhost:9").is_bounded());
}

#[test]
fn nobody_who_answers_is_an_error_that_names_the_peer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let path = format!("tcp://{address}");
    let mut source: CsvSource<i64> = csv(path.as_str());
    let error = run(&mut source, vec![FileSplit::whole(&path)], None).unwrap_err().to_string();
    assert!(error.starts_with(&format!("connect to {address}: ")), "{error}");
}

#[test]
fn faults_in_a_stream_have_their_line() {
    let (path, thread) = peer(|mut stream| {
        let lines = "1\n".repeat(100_000);
        stream.write_all(format!("{lines}x\n").as_bytes()).unwrap();
    });
    let mut source: NdjsonSource<i64> = ndjson(path.as_str());
    let error = run(&mut source, vec![FileSplit::whole(&path)], None).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{path}:100001: ")), "{error}");
    thread.join().unwrap();
}

#[test]
fn a_name_that_no_peer_can_have_is_refused_before_the_start() {
    for path in ["tcp://", "tcp://host", "tcp://:80", "tcp://host:99999", "tcp://host:"] {
        let error = text(path).check().unwrap_err().to_string();
        assert_eq!(error, format!("read {path}: expected `tcp://HOST:PORT`"));
    }
    for path in ["tcp://host:80", "tcp://[::1]:80", "-"] {
        text(path).check().unwrap();
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_not_read_from_a_stream() {
    for path in ["-", "tcp://host:80"] {
        let error = super::super::parquet::<i64>(path).check().unwrap_err().to_string();
        assert!(error.contains("is read from files, not from a stream"), "{error}");
    }
}
