/** Who makes the one probe of a half-open circuit (H-1). */
import { script } from './script.ts';

/** KEYS: the channel’s probe. ARGV: replica, for how many ms at most. 1 = it is the replica’s; it may ask again to keep it. */
export const PROBE = script(
  'probe',
  1,
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0
`,
);

/** KEYS: the channel’s probe. ARGV: replica. Another’s stays. */
export const END_PROBE = script(
  'end_probe',
  1,
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`,
);
