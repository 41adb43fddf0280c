/** What happens at one replica, told to all and kept for those who come later (H-4). */
import { CLOCK, script } from './script.ts';

/**
 * KEYS: the board (FIELD → "END JSON", END 0 = until it is taken away). ARGV: message and channel; field, its JSON and for
 * how many ms it holds (-1 = until it is taken away), field '' = nothing is kept; fields to take away. What holds longer
 * stays.
 */
export const TELL = script(
  'tell',
  1,
  `${CLOCK}
local B = KEYS[1]
for i = 6, #ARGV do redis.call('HDEL', B, ARGV[i]) end
local field, length = ARGV[3], tonumber(ARGV[5])
if field ~= '' then
  local ends = length < 0 and 0 or clock() + length
  local known = redis.call('HGET', B, field)
  local knownEnd = known and tonumber(string.match(known, '^%d+')) or -1
  if ends == 0 or knownEnd < ends then redis.call('HSET', B, field, string.format('%.0f', ends) .. ' ' .. ARGV[4]) end
end
return redis.call('PUBLISH', ARGV[2], ARGV[1])
`,
);

/** KEYS: the board. Gives JSON and the ms it still holds (-1 = until it is taken away), in turn; what is over goes. */
export const BOARD = script(
  'board',
  1,
  `${CLOCK}
local B = KEYS[1]
local now, found = clock(), {}
local all = redis.call('HGETALL', B)
for i = 1, #all, 2 do
  local ends, json = string.match(all[i + 1], '^(%d+) (.*)$')
  ends = tonumber(ends)
  if ends ~= 0 and ends <= now then
    redis.call('HDEL', B, all[i])
  else
    found[#found + 1] = json
    found[#found + 1] = ends == 0 and -1 or ends - now
  end
end
return found
`,
);
