/** The forms of model ids. */

/** `openai/*` → `openai`; null when the id is no wildcard. */
export function wildcardProvider(id: string): string | null {
  return id.endsWith('/*') && !id.slice(0, -2).includes('*') ? id.slice(0, -2) : null;
}

/** The provider of `PROVIDER/NAME`, if such a provider is known. Provider names may not contain `/`. */
export function impliedProvider(id: string, isProvider: (name: string) => boolean): string | null {
  const slash = id.indexOf('/');
  if (slash <= 0 || slash === id.length - 1) return null;
  const name = id.slice(0, slash);
  return isProvider(name) ? name : null;
}

/** What a model, or a virtual one, may be called: 1 to 256 characters, no spaces and commas (headers), no wildcard. */
export function isModelName(name: string): boolean {
  return name !== '' && name.length <= 256 && !/[\s,*]/.test(name);
}
