/** `SharedScope.take` inside Redis: what a replica has is noted, what is left is granted (H-4, P-4, G-11). */
import { AHEAD, ALIVE_MS, GONE_MS, SLICE_MS } from '../../../core/limits/shared-scope.ts';
import { WINDOW_MS } from '../../../core/limits/sliding-window.ts';
import { CLOCK, script } from './script.ts';

/** Longer than a month: what is used of it outlives whoever used it. */
const KEPT_MS = 32 * 86_400_000;

/**
 * KEYS: the minute (`n` requests, `k` tokens, `lo` and `hi` its oldest and newest slice, SLICE → "requests,tokens"),
 * the replicas (NAME → "until,…own figures"). ARGV: replica; limits rpm, tpm, concurrent, rpd (-1 = none); own figures,
 * 13; need, least, want, 3 each; requests of the day elsewhere; corrections, 3 each.
 */
export const TAKE = script(
  'take',
  1,
  `${CLOCK}
local W, R = KEYS[1], KEYS[2]
local NONE = 9007199254740991
local now = clock()
local slice = math.floor(now / ${SLICE_MS})
local function int(n) return string.format('%.0f', n) end
local function arg(i) return tonumber(ARGV[i]) end
local function leaves(s) return (s + 1) * ${SLICE_MS} + ${WINDOW_MS} end
local function pair(text)
  if not text then return 0, 0 end
  local a, b = string.match(text, '^(-?%d+),(-?%d+)$')
  return tonumber(a), tonumber(b)
end

local known = redis.call('HMGET', W, 'n', 'k', 'lo', 'hi')
local n, k = tonumber(known[1] or 0), tonumber(known[2] or 0)
local lo, hi = tonumber(known[3] or slice), tonumber(known[4] or slice)
if known[4] and leaves(hi) <= now then
  redis.call('DEL', W)
  n, k, lo, hi = 0, 0, slice, slice
end
while lo < hi and leaves(lo) <= now do
  local r, t = pair(redis.call('HGET', W, int(lo)))
  if r ~= 0 or t ~= 0 then redis.call('HDEL', W, int(lo)) end
  n, k, lo = n - r, k - t, lo + 1
end
local function add(s, r, t)
  if r == 0 and t == 0 then return end
  local hasR, hasT = pair(redis.call('HGET', W, int(s)))
  redis.call('HSET', W, int(s), int(hasR + r) .. ',' .. int(hasT + t))
  n, k = n + r, k + t
  lo, hi = math.min(lo, s), math.max(hi, s)
end
for i = 29, #ARGV, 3 do
  local s, r, t = arg(i), arg(i + 1), arg(i + 2)
  if s == 0 then s = slice end
  if leaves(s) > now then
    local hasR, hasT = pair(redis.call('HGET', W, int(s)))
    add(s, math.max(r, -hasR), math.max(t, -hasT))
  end
end

local me = ARGV[1]
local all = redis.call('HGETALL', R)
local isKnown, peers, slots, idleR, idleT, heldT, heldS = 0, 1, 0, 0, 0, 0, 0
local day, month = { 0, 0, 0 }, { 0, 0, 0 }
for i = 1, #all, 2 do
  local f = {}
  for part in string.gmatch(all[i + 1], '[^,]+') do f[#f + 1] = tonumber(part) end
  if all[i] == me then
    isKnown = 1
  elseif f[1] + ${GONE_MS} <= now and f[11] < arg(15) then
    redis.call('HDEL', R, all[i])
  else
    if f[1] > now then
      peers, slots, idleR, idleT = peers + 1, slots + f[2], idleR + f[3], idleT + f[4]
      heldT, heldS = heldT + f[5], heldS + f[6]
    end
    if f[7] == arg(11) then for j = 1, 3 do day[j] = day[j] + f[7 + j] end end
    if f[11] == arg(15) then for j = 1, 3 do month[j] = month[j] + f[11 + j] end end
  end
end

local function left(limit, used) if limit < 0 then return NONE end return limit - used end
idleR, idleT = idleR + arg(7), idleT + arg(8)
local left_r, left_t = left(arg(2), n + idleR), left(arg(3), k + idleT)
local left_s = left(arg(4), slots + arg(6))
local left_d = left(arg(5), arg(12) + math.max(arg(28), day[1]) + idleR)
local function free_in(which, amount)
  local fields = {}
  for s = lo, hi do fields[#fields + 1] = int(s) end
  local values, sum = redis.call('HMGET', W, unpack(fields)), 0
  for i, value in ipairs(values) do
    local r, t = pair(value)
    sum = sum + (which == 1 and r or t)
    if sum >= amount then return leaves(lo + i - 1) - now end
  end
  return ${WINDOW_MS}
end
local reached, free = '', -1
if arg(22) > left_d then
  reached = 'requests_per_day'
else
  local wait_r = arg(22) > left_r and free_in(1, arg(22) - left_r) or 0
  local wait_t = arg(23) > left_t and free_in(2, arg(23) - left_t) or 0
  if wait_r > 0 and wait_r >= wait_t then
    reached, free = 'requests_per_minute', wait_r
  elseif wait_t > 0 then
    reached, free = 'tokens_per_minute', wait_t
  elseif arg(24) > left_s then
    reached = 'concurrent'
  end
end
local got_r, got_t, got_s = 0, 0, 0
if reached == '' then
  local function grant(there, need, want)
    local ahead = math.min(want, math.floor(there / (${AHEAD} * peers)))
    return math.max(0, math.min(there, math.max(need, ahead)))
  end
  got_r = grant(math.min(left_r, left_d), arg(19), arg(25))
  got_t = grant(left_t, arg(20), arg(26))
  got_s = grant(left_s, arg(21), arg(27))
end

redis.call('HSET', W, 'n', int(n), 'k', int(k), 'lo', int(lo), 'hi', int(hi))
redis.call('PEXPIRE', W, ${WINDOW_MS + 10_000})
local own = { int(now + ${ALIVE_MS}), int(arg(6) + got_s), int(arg(7) + got_r), int(arg(8) + got_t) }
for i = 9, 18 do own[#own + 1] = ARGV[i] end
redis.call('HSET', R, me, table.concat(own, ','))
redis.call('PEXPIRE', R, ${KEPT_MS})
return { int(got_r), int(got_t), int(got_s), int(slice), isKnown, reached, int(free), peers, int(n + idleR + got_r), int(k + idleT + got_t),
  int(slots + arg(6) + got_s), int(heldT), int(heldS), int(day[1]), int(day[2]), int(day[3]), int(month[1]),
  int(month[2]), int(month[3]) }
`,
);
