/** Paths that name a model (dialects §1.1): `/v1beta/models/{model}:verb` and `/openai/deployments/{model}/…`. */

/** What such a path holds. */
export interface ModelPath {
  /** Decoded. */
  readonly model: string;
  /** `:verb`, or what follows a deployment's name, from its slash on. */
  readonly rest: string;
}

/** Clients leave out the collection where a model's name has a slash of its own: they take it for a whole path. */
const MODELS = /^\/v1(?:beta)?\/(?:models\/|(?=[^/]+\/))/;
const DEPLOYMENT = /^\/openai\/deployments\/([^/]+)(\/.+)$/;

/** @param path without its query. Null = it names no model and what is asked of it. */
export function modelPath(path: string): ModelPath | null {
  const prefix = MODELS.exec(path);
  if (prefix !== null) return modelVerb(decoded(path.slice(prefix[0].length)));
  const deployment = DEPLOYMENT.exec(path);
  return deployment === null ? null : { model: decoded(deployment[1]!), rest: deployment[2]! };
}

/** Model ids may hold colons of their own: the last one stands before the verb. */
function modelVerb(text: string): ModelPath | null {
  const colon = text.lastIndexOf(':');
  return colon <= 0 ? null : { model: text.slice(0, colon), rest: text.slice(colon) };
}

/** An escape that stands for nothing is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
