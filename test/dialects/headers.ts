/** Headers that a dialect's clients always send. */
export const MESSAGES_HEADERS: Readonly<Record<string, string>> = { 'anthropic-version': '2023-06-01' };
