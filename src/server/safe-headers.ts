/**
 * What answers that are no pages carry, so that none of them is ever taken for one: a text of a stranger's (a model's name,
 * an upstream's error, an export) that a browser opens by itself runs nothing, embeds nothing and is embedded nowhere.
 */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};
