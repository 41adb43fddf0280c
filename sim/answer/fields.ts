/** Reading parsed JSON whose shape nobody has promised. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object, an empty one when it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A whole number above 0, else null. */
export function positive(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

/** A text, or the joined `text` of a list's parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => fieldsOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** A token per four characters: near enough to tell calls apart. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** A text as it is, anything else as JSON: what parsed JSON holds may not even become a text (`{"toString": 1}`). */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}
