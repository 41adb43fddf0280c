/** What the labels of a model's name ask of this dialect alone. Other labels are free. */

/** Why a message ends, in the dialect's words. */
export const STOP_REASONS: readonly string[] = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'guardrail_intervened',
  'content_filtered',
  'malformed_model_output',
  'malformed_tool_use',
  'model_context_window_exceeded',
];

export interface Traits {
  /** `finish-malformed-tool-use`: why the answer ends, whatever it holds. Null = for its own reason. */
  readonly finish: string | null;
  /** `bad-checksum`: the third frame of a stream is not what its checksum says. */
  readonly badChecksum: boolean;
}

export const NO_TRAITS: Traits = { finish: null, badChecksum: false };

/** Reads the labels. A text says what is wrong with one that starts like one of ours. */
export function readTraits(model: string): Traits | string {
  let traits = NO_TRAITS;
  for (const label of model.split(':').slice(1)) {
    if (label === 'bad-checksum') traits = { ...traits, badChecksum: true };
    if (!label.startsWith('finish-')) continue;
    const finish = label.slice('finish-'.length).replaceAll('-', '_');
    if (!STOP_REASONS.includes(finish))
      return `"${label}" is no label: finish- takes one of ${STOP_REASONS.join(', ')}`;
    traits = { ...traits, finish };
  }
  return traits;
}
