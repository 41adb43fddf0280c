/**
 * What the labels of a model's name ask of this dialect alone: `tools:no-ids`, `empty:finish-other`, `error-2:unframed`.
 * Labels that say nothing here are free, as everywhere.
 */

/** Why a candidate ended, in the dialect's words. */
export const FINISH_REASONS = (
  'STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL ' +
  'IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_OTHER NO_IMAGE IMAGE_RECITATION UNEXPECTED_TOOL_CALL ' +
  'TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE ESCALATION CONTINUATION MODEL_ARMOR'
).split(' ');

/** Why a prompt got no candidate. */
export const BLOCK_REASONS = 'SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY MODEL_ARMOR JAILBREAK'.split(' ');

export interface Traits {
  /** `no-ids`: calls come without ids, as older models send them. */
  readonly ids: boolean;
  /** `finish-recitation`: every candidate ends for this reason. Null = for its own. */
  readonly finish: string | null;
  /** `finish-every`: each chunk carries the finish reason, as older models send it. */
  readonly finishEvery: boolean;
  /** `block-jailbreak`: no candidate, only this. */
  readonly block: string | null;
  /** `unframed`: an error inside a stream comes as bare JSON over several lines, without `data:`. */
  readonly unframed: boolean;
}

export const NO_TRAITS: Traits = { ids: true, finish: null, finishEvery: false, block: null, unframed: false };

/** Reads the labels. A text says what is wrong with one that starts like one of ours. */
export function readTraits(model: string): Traits | string {
  const traits: { -readonly [Key in keyof Traits]: Traits[Key] } = { ...NO_TRAITS };
  for (const label of model.split(':').slice(1)) {
    if (label === 'no-ids') traits.ids = false;
    else if (label === 'unframed') traits.unframed = true;
    else if (label === 'finish-every') traits.finishEvery = true;
    else if (label.startsWith('finish-') || label.startsWith('block-')) {
      const kind = label.startsWith('finish-') ? 'finish' : 'block';
      const known = kind === 'finish' ? FINISH_REASONS : BLOCK_REASONS;
      const reason = label
        .slice(kind.length + 1)
        .toUpperCase()
        .replaceAll('-', '_');
      if (!known.includes(reason)) return `"${label}" is no label: ${kind}- takes one of ${known.join(', ')}`;
      traits[kind] = reason;
    }
  }
  return traits;
}
