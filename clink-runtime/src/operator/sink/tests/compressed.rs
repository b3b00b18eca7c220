//! Cuts compressed files where a checkpoint ended a member, and reads all of them.

use super::*;

const NAMES: [&str; 2] = ["out.gz", "out.zst"];

fn read(job: &Job<Lines>, name: &str) -> String {
    decoded(&job.folder.path().join(name))
}

#[test]
fn a_restore_cuts_a_compressed_file_between_two_members() {
    for name in NAMES {
        let mut job = Job::<Lines>::new();
        job.begin(name, 1, false).unwrap();
        for number in 0..10 {
            job.write(number);
            job.barrier();
        }
        for _ in 0..2 {
            // Lost: in the compressor, in a member that was ended, and in one that was not.
            job.write(-1);
            job.sinks[0].finish().unwrap();
            job.write(-2);
            job.wait(2_000);
            job.sinks[0].flush().unwrap();
            job.fail();
            job.begin(name, 1, true).unwrap();
        }
        job.write(10);
        job.finish();
        let expected: String = (0..11).map(|number| format!("[{number},\"s0\"]\n")).collect();
        assert_eq!(read(&job, name), expected, "{name}");
    }
}

#[test]
fn csv_rows_of_all_members_stand_under_one_header() {
    for name in NAMES {
        let mut job = Job::<Rows>::new();
        job.begin(name, 1, false).unwrap();
        for number in 0..3 {
            job.wait(2_000);
            job.sinks[0].flush().unwrap();
            job.write(number);
            job.sinks[0].flush().unwrap();
            job.barrier();
        }
        job.begin(name, 1, true).unwrap();
        job.write(3);
        job.finish();
        let text = decoded(&job.folder.path().join(name));
        assert_eq!(text, "0,1\n0,s0\n1,s0\n2,s0\n3,s0\n", "{name}");
    }
}

/// Goal: a reader sees records a second after the input ran dry, and flushes cost no more than one
/// block each second. Method: what a decoder gets out of the unfinished file.
#[test]
fn what_is_flushed_can_be_read_within_a_second() {
    fn readable(job: &Job<Lines>, name: &str) -> String {
        let bytes = files::read(job.path(name).as_ref()).unwrap();
        let mut text = Vec::new();
        // The member has no end yet, which is an error behind the last byte that can be had.
        let _ = match name {
            "out.gz" => MultiGzDecoder::new(&*bytes).read_to_end(&mut text),
            _ => zstd::Decoder::new(&*bytes).unwrap().read_to_end(&mut text),
        };
        String::from_utf8(text).unwrap()
    }
    for name in NAMES {
        let mut job = Job::<Lines>::new();
        job.begin(name, 1, false).unwrap();
        job.write(1);
        job.sinks[0].flush().unwrap();
        assert_eq!(readable(&job, name), "", "{name}");
        job.wait(1_000);
        job.sinks[0].flush().unwrap();
        assert_eq!(readable(&job, name), "[1,\"s0\"]\n", "{name}");
        let bytes = job.bytes(name);
        for number in 2..100 {
            job.write(number);
            job.sinks[0].flush().unwrap();
        }
        assert_eq!(job.bytes(name), bytes, "{name}: within the same second");
        job.barrier();
        assert_eq!(read(&job, name).lines().count(), 99, "{name}");
    }
}

#[test]
fn a_file_without_records_is_of_its_format() {
    for name in NAMES {
        let mut job = Job::<Lines>::new();
        job.begin(name, 1, false).unwrap();
        job.barrier();
        job.finish();
        assert!(job.bytes(name) > 0, "{name}");
        assert_eq!(read(&job, name), "", "{name}");
    }
}

/// Every instance writes a part whose bytes are compressed as the path says.
#[test]
fn parts_of_a_compressed_path_are_compressed() {
    let mut job = Job::<Lines>::new();
    job.begin("out.gz", 2, false).unwrap();
    job.write(7);
    job.finish();
    let bytes = files::read(job.path("out.gz.part-1").as_ref()).unwrap();
    let mut text = String::new();
    MultiGzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
    assert_eq!(text, "[7,\"s1\"]\n");
}

#[test]
fn a_job_that_fails_ends_no_member_i18() {
    for name in NAMES {
        let mut job = Job::<Lines>::new();
        job.begin(name, 1, false).unwrap();
        job.write(1);
        job.barrier();
        let bytes = job.bytes(name);
        job.write(2);
        job.fail();
        assert_eq!(job.bytes(name), bytes, "{name}");
    }
}
