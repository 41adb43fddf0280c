/** Values as lines of the configuration file, to be copied into it. */

/** Letters, digits and what names of models and channels are made of; anything else is quoted. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*$/;
/** Words that YAML readers take for something else than a text. */
const TAKEN = /^(true|false|yes|no|on|off|y|n|null)$/i;

/** Mappings and lists of texts, numbers and switches. */
export type YamlValue =
  | string
  | number
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [name: string]: YamlValue | undefined };

/** A text as YAML; `${` is doubled, so that the configuration does not read a variable there. */
function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  const text = value.replaceAll('${', () => '$${');
  return PLAIN.test(text) && !TAKEN.test(text) ? text : JSON.stringify(text);
}

function isScalar(value: YamlValue): value is string | number | boolean | null {
  return value === null || typeof value !== 'object';
}

function lines(value: YamlValue, indent: string): string {
  if (isScalar(value)) return ` ${scalar(value)}\n`;
  if (Array.isArray(value)) {
    const items = value as readonly YamlValue[];
    if (items.every(isScalar)) return ` [${items.map(scalar).join(', ')}]\n`;
    return `\n${items.map((item) => `${indent}- ${JSON.stringify(item)}\n`).join('')}`;
  }
  const entries = Object.entries(value).filter(([, one]) => one !== undefined) as [string, YamlValue][];
  if (entries.length === 0) return ' {}\n';
  return `\n${entries.map(([name, one]) => `${indent}${scalar(name)}:${lines(one, `${indent}  `)}`).join('')}`;
}

/** A mapping as YAML, two spaces a level; lists of single values stand in one line. */
export function yamlText(value: { readonly [name: string]: YamlValue | undefined }): string {
  return lines(value, '').trimStart();
}
