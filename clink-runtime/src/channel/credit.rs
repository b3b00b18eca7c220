//! Divides the records a subtask may hold among its inputs (pure).

use crate::config::GATE_CAPACITY_CHANNELS;

/// Records one of `inputs` channels into the same subtask may hold.
///
/// Never more than `channel_capacity`; with many inputs an equal share of what the subtask may
/// hold in all, so that memory grows with subtasks, not with edges; never less than one, so that
/// every input can always deliver its next element and no alignment can deadlock.
pub fn edge_capacity(channel_capacity: u32, inputs: usize) -> u32 {
    let inputs = u32::try_from(inputs).unwrap_or(u32::MAX).max(1);
    let gate = channel_capacity.saturating_mul(GATE_CAPACITY_CHANNELS);
    (gate / inputs).clamp(1, channel_capacity.max(1))
}

#[cfg(test)]
mod tests {
    use super::edge_capacity;

    #[test]
    fn few_inputs_get_whole_channels_and_many_share_the_gate() {
        assert_eq!(edge_capacity(2_048, 1), 2_048);
        assert_eq!(edge_capacity(2_048, 8), 2_048);
        assert_eq!(edge_capacity(2_048, 64), 256);
        assert_eq!(edge_capacity(2_048, 1_000_000), 1);
        assert_eq!(edge_capacity(1, 1), 1);
        assert_eq!(edge_capacity(1, 40), 1);
    }
}
