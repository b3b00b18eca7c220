//! Plays scripts and random orders of events to the protocol.

use proptest::prelude::*;

use super::*;

const SOURCES: [u32; 2] = [0, 1];
const SUBTASKS: [u32; 4] = [0, 1, 2, 3];

fn protocol(interval_ms: u64, timeout_ms: u64) -> Protocol {
    Protocol::new(ProtocolConfig {
        interval_ms,
        timeout_ms,
        subtasks: SUBTASKS.map(SubtaskId).to_vec(),
        sources: SOURCES.map(SubtaskId).to_vec(),
        first_id: CheckpointId(5),
    })
}

fn set(subtasks: &[u32]) -> BTreeSet<SubtaskId> {
    subtasks.iter().copied().map(SubtaskId).collect()
}

fn trigger(id: u64, sources: &[u32]) -> Decision {
    Decision::Trigger { id: CheckpointId(id), sources: set(sources) }
}

fn complete(id: u64, acknowledged: &[u32], finished: &[u32]) -> Decision {
    let (acknowledged, finished) = (set(acknowledged), set(finished));
    Decision::Complete { id: CheckpointId(id), acknowledged, finished }
}

fn abort(id: u64, reason: AbortReason) -> Decision {
    Decision::Abort { id: CheckpointId(id), reason }
}

fn acknowledge(protocol: &mut Protocol, id: u64, subtasks: &[u32]) -> Vec<Decision> {
    let one = |&subtask| protocol.acknowledged(SubtaskId(subtask), CheckpointId(id));
    subtasks.iter().flat_map(one).collect()
}

fn finish(protocol: &mut Protocol, subtasks: &[u32]) -> Vec<Decision> {
    subtasks.iter().flat_map(|&subtask| protocol.finished(SubtaskId(subtask))).collect()
}

#[test]
fn checkpoints_start_an_interval_apart_and_at_once_when_overdue() {
    let mut protocol = protocol(10, 100);
    assert_eq!(protocol.next_deadline_ms(0), Some(0));
    assert_eq!(protocol.tick(0), []);
    assert_eq!(protocol.next_deadline_ms(0), Some(10));
    assert_eq!(protocol.tick(9), []);
    assert_eq!(protocol.tick(10), [trigger(5, &[0, 1])]);
    assert_eq!(protocol.next_deadline_ms(10), Some(110), "only the timeout is left");
    assert_eq!(protocol.tick(35), [], "never two in flight");
    assert_eq!(acknowledge(&mut protocol, 5, &[0, 1, 2]), []);
    assert_eq!(acknowledge(&mut protocol, 5, &[3]), [complete(5, &SUBTASKS, &[])]);
    assert_eq!(protocol.next_deadline_ms(36), Some(20), "overdue");
    assert_eq!(protocol.tick(36), [trigger(6, &[0, 1])]);
    assert_eq!(protocol.counts().completed, 1);
}

#[test]
fn an_unfinished_checkpoint_is_aborted_and_the_next_one_starts() {
    let mut protocol = protocol(10, 15);
    protocol.tick(0);
    protocol.tick(10);
    acknowledge(&mut protocol, 5, &[0, 1, 2]);
    assert_eq!(protocol.tick(25), [abort(5, AbortReason::Timeout), trigger(6, &[0, 1])]);
    assert_eq!(acknowledge(&mut protocol, 5, &[3]), [], "late");
    assert_eq!(acknowledge(&mut protocol, 7, &[3]), [], "from the future");
    assert_eq!(acknowledge(&mut protocol, 6, &[9, 3, 3]), [], "unknown, good, repeated");
    assert_eq!(protocol.counts(), ProtocolCounts { completed: 0, aborted: 1, ignored: 4 });
    assert_eq!(acknowledge(&mut protocol, 6, &[0, 1, 2]), [complete(6, &SUBTASKS, &[])]);
}

#[test]
fn a_part_that_cannot_be_written_aborts_its_checkpoint_only() {
    let mut protocol = protocol(10, 100);
    protocol.tick(0);
    protocol.tick(10);
    assert_eq!(protocol.declined(SubtaskId(2), CheckpointId(4)), []);
    let declined = AbortReason::Declined(SubtaskId(2));
    assert_eq!(protocol.declined(SubtaskId(2), CheckpointId(5)), [abort(5, declined)]);
    assert_eq!(protocol.tick(19), []);
    assert_eq!(protocol.tick(20), [trigger(6, &[0, 1])]);
}

#[test]
fn a_final_snapshot_stands_in_for_a_finished_subtask() {
    let mut protocol = protocol(10, 100);
    protocol.tick(0);
    assert_eq!(finish(&mut protocol, &[1]), []);
    assert_eq!(protocol.tick(10), [trigger(5, &[0])]);
    assert_eq!(acknowledge(&mut protocol, 5, &[0, 2]), []);
    assert_eq!(finish(&mut protocol, &[2]), [], "its acknowledgement stands");
    assert_eq!(finish(&mut protocol, &[3]), [complete(5, &[0, 2], &[1, 3])]);
    assert_eq!(protocol.tick(20), [trigger(6, &[0])]);
    let last = Decision::Final { id: CheckpointId(7) };
    assert_eq!(finish(&mut protocol, &[0]), [complete(6, &[], &SUBTASKS), last]);
    assert_eq!((protocol.final_id(), protocol.tick(1_000)), (Some(CheckpointId(7)), vec![]));
    assert_eq!(protocol.next_deadline_ms(1_000), None);
    assert_eq!(finish(&mut protocol, &[0, 9]), []);
}

#[test]
fn nothing_starts_once_the_sources_have_ended_or_been_told_to() {
    let mut ended = protocol(10, 100);
    ended.tick(0);
    finish(&mut ended, &SOURCES);
    assert_eq!((ended.tick(50), ended.next_deadline_ms(50)), (vec![], None));
    assert_eq!(finish(&mut ended, &[2, 3]), [Decision::Final { id: CheckpointId(5) }]);

    let mut stopped = protocol(10, 100);
    stopped.tick(0);
    stopped.tick(10);
    stopped.stop_requested();
    assert_eq!(acknowledge(&mut stopped, 5, &SUBTASKS), [complete(5, &SUBTASKS, &[])]);
    assert_eq!((stopped.tick(50), stopped.next_deadline_ms(50)), (vec![], None));
}

#[test]
fn extreme_times_do_not_overflow() {
    let mut protocol = protocol(u64::MAX, u64::MAX);
    protocol.tick(i64::MAX - 1);
    assert_eq!(protocol.next_deadline_ms(0), Some(i64::MAX));
    assert_eq!(protocol.tick(i64::MAX), [trigger(5, &[0, 1])]);
    protocol.tick(i64::MIN);
    assert_eq!(protocol.pending(), Some(CheckpointId(5)), "the clock went back");
}

#[derive(Clone, Debug)]
enum Event {
    Wait(u16),
    Acknowledge { subtask: u32, back: u64 },
    Decline { subtask: u32, back: u64 },
    Finish(u32),
    Stop,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..40u16).prop_map(Event::Wait),
        8 => (0..5u32, 0..3u64).prop_map(|(subtask, back)| Event::Acknowledge { subtask, back }),
        1 => (0..5u32, 0..3u64).prop_map(|(subtask, back)| Event::Decline { subtask, back }),
        2 => (0..5u32).prop_map(Event::Finish),
        1 => Just(Event::Stop),
    ]
}

/// What an observer knows without looking into the protocol.
#[derive(Default)]
struct Observer {
    last: u64,
    pending: Option<(u64, BTreeSet<SubtaskId>)>,
    finished: BTreeSet<SubtaskId>,
    stopped: bool,
    over: bool,
}

impl Observer {
    fn sees(&mut self, decision: Decision) {
        let pending = self.pending.take();
        assert!(!self.over, "nothing follows the final checkpoint");
        match decision {
            Decision::Trigger { id, sources } => {
                assert!(pending.is_none() && id.0 > self.last && !self.stopped);
                let running = &set(&SOURCES) - &self.finished;
                assert!(!sources.is_empty() && sources == running);
                (self.last, self.pending) = (id.0, Some((id.0, BTreeSet::new())));
            }
            Decision::Complete { id, acknowledged, finished } => {
                let (expected, seen) = pending.unwrap();
                assert_eq!((id.0, &acknowledged), (expected, &seen));
                assert!(acknowledged.is_disjoint(&finished) && finished.is_subset(&self.finished));
                assert_eq!(&acknowledged | &finished, set(&SUBTASKS));
            }
            Decision::Abort { id, .. } => assert_eq!(id.0, pending.unwrap().0),
            Decision::Final { id } => {
                assert!(pending.is_none() && id.0 > self.last);
                assert_eq!(self.finished, set(&SUBTASKS));
                self.over = true;
            }
        }
    }

    /// Right after every event: a checkpoint whose parts are all there is not left pending.
    fn rests(&self) {
        if let Some((_, acknowledged)) = &self.pending {
            assert_ne!(acknowledged | &self.finished, set(&SUBTASKS));
        }
        assert_eq!(self.over, self.finished == set(&SUBTASKS));
    }
}

proptest! {
    #[test]
    fn every_order_of_events_keeps_the_invariants(
        events in proptest::collection::vec(event(), 0..120),
    ) {
        let (mut protocol, mut observer, mut now) = (protocol(20, 50), Observer::default(), 0);
        for event in events {
            let decisions = match event {
                Event::Wait(ms) => {
                    now += i64::from(ms);
                    protocol.tick(now)
                }
                Event::Acknowledge { subtask, back } => {
                    let id = observer.last.saturating_sub(back);
                    if let Some((pending, acknowledged)) = &mut observer.pending
                        && *pending == id
                        && SUBTASKS.contains(&subtask)
                        && !observer.finished.contains(&SubtaskId(subtask))
                    {
                        acknowledged.insert(SubtaskId(subtask));
                    }
                    protocol.acknowledged(SubtaskId(subtask), CheckpointId(id))
                }
                Event::Decline { subtask, back } => {
                    let id = observer.last.saturating_sub(back);
                    protocol.declined(SubtaskId(subtask), CheckpointId(id))
                }
                Event::Finish(subtask) => {
                    if SUBTASKS.contains(&subtask) {
                        observer.finished.insert(SubtaskId(subtask));
                    }
                    protocol.finished(SubtaskId(subtask))
                }
                Event::Stop => {
                    observer.stopped = true;
                    protocol.stop_requested();
                    vec![]
                }
            };
            decisions.into_iter().for_each(|decision| observer.sees(decision));
            observer.rests();
            let expected = observer.pending.as_ref().map(|(id, _)| CheckpointId(*id));
            prop_assert_eq!(protocol.pending(), expected);
        }
    }
}
