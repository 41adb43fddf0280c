/**
 * Two lists' words on one model made into one row of the catalogue. Money becomes whole nano-dollars per million tokens.
 * Where the lists differ, the higher price is taken and the row says so: what is held back for a call must be enough.
 */

const PARTS = ['input', 'output', 'cached_input', 'cache_write', 'audio_in', 'audio_out'];

const nano = (dollars) => Math.round(dollars * 1e9);

/** models.dev's price in dollars, as `{base, over}`; null = it states none. Nothing at all is no price but a gap. */
function ofModelsDev(id, cost) {
  if (cost === undefined) return null;
  if (cost.input === 0 && cost.output === 0 && !id.endsWith(':free')) return null;
  const base = partsOf(cost);
  if (cost.reasoning > cost.output) base.output = cost.reasoning;
  const tiers = (cost.tiers ?? []).map((tier) => ({ tokens: tier.tier.size, ...partsOf(tier) }));
  return { base, over: tiers.sort((a, b) => a.tokens - b.tokens) };
}

function partsOf(cost) {
  const names = {
    cached_input: 'cache_read',
    cache_write: 'cache_write',
    audio_in: 'input_audio',
    audio_out: 'output_audio',
  };
  return stated(Object.fromEntries(PARTS.map((part) => [part, cost[names[part] ?? part]])));
}

function stated(parts) {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/** Part by part the higher one. */
function highest(a, b) {
  return stated(Object.fromEntries(PARTS.map((part) => [part, higher(a[part], b[part])])));
}

function higher(a, b) {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function differ(a, b) {
  return PARTS.some((part) => a[part] !== undefined && b[part] !== undefined && nano(a[part]) !== nano(b[part]));
}

/** Prices that depend on the hour as the highest of them; null = one of them cannot be told by tokens. */
function overTheDay(prices) {
  if (prices.some((price) => price === null)) return null;
  return prices.reduce((a, b) => ({ base: highest(a.base, b.base), over: a.over.length > 0 ? a.over : b.over }));
}

/** A saving that makes nothing of the price is a promotion; one that is none, a slip. Both count as ordinary input. */
function sound(parts) {
  const { input = 0 } = parts;
  const kept = { ...parts };
  if (kept.cached_input === 0 || kept.cached_input > input) delete kept.cached_input;
  if (kept.cache_write === 0) delete kept.cache_write;
  return Object.fromEntries(PARTS.filter((part) => kept[part] !== undefined).map((part) => [part, nano(kept[part])]));
}

function written({ base, over }) {
  // A price holds for both directions, or nobody knows what a call costs.
  if (base.input === undefined && base.output === undefined) return null;
  const tiers = over.map(({ tokens, ...parts }) => ({ tokens, ...sound({ ...base, ...parts }) }));
  return { ...sound(base), ...(tiers.length === 0 ? {} : { over: tiers }) };
}

/** One price of two. `gp`: the matched entry, or null; `md`: `{base, over}`, or null; `checked`: the day md is of. */
function settle(gp, md, checked) {
  if (gp === null) return md === null ? null : { by: 'm', price: md, estimate: null };
  const { by_hour: hours, since } = gp.price;
  const own = overTheDay(hours);
  if (own === null) return null;
  const hourly = hours.length > 1 ? 'time_of_day' : null;
  const isNewer = since !== null && since > checked;
  if (md === null || isNewer) return { by: 'g', price: own, estimate: hourly ?? (gp.exact ? null : 'by_pattern') };
  const disagree = differ(own.base, md.base) || (own.over.length === 0 && md.over.length > 0);
  const price = { base: highest(own.base, md.base), over: own.over.length > 0 ? own.over : md.over };
  return { by: 'gm', price, estimate: disagree ? 'sources_differ' : hourly };
}

/** The price of a row; null = unknown. */
export function mergePrice(id, { gp, md }) {
  const settled = settle(gp, ofModelsDev(id, md?.cost), md?.last_updated ?? '');
  const price = settled === null ? null : written(settled.price);
  if (price === null) return null;
  if (price.input === 0 && price.output === 0 && !id.endsWith(':free')) return null;
  const later = (settled.by === 'm' ? [] : gp.price.later).flatMap((change) => {
    const changed = change.price === null ? null : written(change.price);
    return [{ from: change.from, ...changed }];
  });
  return {
    by: settled.by,
    ...price,
    ...(settled.estimate === null ? {} : { estimate: settled.estimate }),
    ...(later.length === 0 ? {} : { later }),
  };
}

const INPUTS = { text: 'text', image: 'image', audio: 'audio', video: 'video', pdf: 'file' };
const FEATURES = { tool_call: 'tools', structured_output: 'json_schema', reasoning: 'reasoning' };

/** Names that their provider moves on from model to model: what today's can't, tomorrow's may. */
const MOVING = /(?:^|-)latest$/;

/** Windows and capabilities of a row: what models.dev states; a window also from the price list. */
export function mergeFacts(id, { gp, md }) {
  const window = md?.limit?.context || gp?.window || null;
  const output = md?.limit?.output || null;
  const inputs = md?.modalities?.input;
  const isMoving = MOVING.test(id);
  const known = (value) =>
    Object.keys(FEATURES)
      .filter((name) => md?.[name] === value)
      .map((name) => FEATURES[name]);
  return {
    ...(window === null ? {} : { window }),
    // What cannot be is not stated: an answer as long as the window and longer.
    ...(output === null || (window !== null && output > window) ? {} : { output }),
    ...(inputs === undefined || isMoving ? {} : { in: inputs.map((name) => INPUTS[name]) }),
    ...(md === null ? {} : { can: known(true), cannot: isMoving ? [] : known(false) }),
  };
}
