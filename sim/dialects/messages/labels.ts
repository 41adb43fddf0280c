/** What the labels of a model's name ask of this dialect alone: `ok:finish-pause-turn`. Other labels are free. */

/** Why a message ends, in the dialect's words. */
export const STOP_REASONS: readonly string[] = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  'compaction',
];

/** The stop reason that a label names, null without one. An object says what is wrong with a label. */
export function readFinishLabel(model: string): string | null | { readonly problem: string } {
  const label = model
    .split(':')
    .slice(1)
    .find((one) => one.startsWith('finish-'));
  if (label === undefined) return null;
  const reason = label.slice('finish-'.length).replaceAll('-', '_');
  if (STOP_REASONS.includes(reason)) return reason;
  return { problem: `"${label}" is no label: finish- takes one of ${STOP_REASONS.join(', ')}` };
}
