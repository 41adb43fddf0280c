/** When the arguments of a call must be whole (dialects §8, §14.16): a call cut in the middle must not look like one without. */
import type { Finish } from '../canonical.ts';

/**
 * Such an ending says that every call is whole (dialects §8). A plain stop does as well: some upstreams end calls so, and
 * to clients calls are calls. Behind any other the last one may be cut.
 */
export function saysCallsAreWhole(finish: Finish): boolean {
  return finish === 'tool_calls' || finish === 'stop';
}
