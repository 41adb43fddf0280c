/** P-6: whether a model, or one of its channels, can do what a request asks. Unknown means it can. */
import type { GatewayError } from '../errors/gateway-error.ts';
import { type Failure, makeFailure } from '../failure.ts';
import { quotedName } from '../quoted-name.ts';

/** What is known; null = nothing. */
export interface Capabilities {
  readonly apis: readonly string[] | null;
  readonly input: readonly string[] | null;
  readonly features: readonly string[] | null;
  /** Known to be missing, of a list that is not the whole truth; null = it is, and all else is missing. */
  readonly lacks?: { readonly input: readonly string[] | null; readonly features: readonly string[] | null };
}

/** What one request needs, in the same words: the first it needs of those that are missing; undefined = none. */
export interface Needs {
  input(missing: (name: string) => boolean): string | undefined;
  feature(missing: (name: string) => boolean): string | undefined;
}

/** What is missing: `api` when it is the endpoint itself. */
export interface Miss {
  readonly kind: 'api' | 'input' | 'feature';
  readonly name: string;
  /** Nothing is missing: the request itself cannot be read, which only this way had to do. Told instead. */
  readonly fault?: GatewayError;
}

/** Whoever can fit a schema can write any JSON. */
const IMPLIED_BY: Readonly<Record<string, string>> = { json_object: 'json_schema' };

function lacks(known: readonly string[] | null, missing: readonly string[] | null, name: string): boolean {
  if (missing !== null) return missing.includes(name);
  if (known === null || known.includes(name)) return false;
  const stronger = IMPLIED_BY[name];
  return stronger === undefined || !known.includes(stronger);
}

/** Nothing is said, or nothing but what it can, so nothing can be missing: the common case. */
export function saysNothing(can: Capabilities): boolean {
  return can.apis === null && lacksNoNeed(can);
}

function lacksNoNeed({ input, features, lacks }: Capabilities): boolean {
  return isOpen(input, lacks?.input) && isOpen(features, lacks?.features);
}

function isOpen(known: readonly string[] | null, missing: readonly string[] | null = null): boolean {
  return missing === null ? known === null : missing.length === 0;
}

/** What a channel can: its own words where it has some, else its model's. */
export function ofChannel(model: Capabilities, channel: Capabilities | undefined): Capabilities {
  if (channel === undefined) return model;
  const input = channel.input === null ? model : channel;
  const features = channel.features === null ? model : channel;
  return {
    apis: channel.apis ?? model.apis,
    input: input.input,
    features: features.features,
    ...(input.lacks === undefined && features.lacks === undefined
      ? {}
      : { lacks: { input: input.lacks?.input ?? null, features: features.lacks?.features ?? null } }),
  };
}

/** The first thing that is missing; null = nothing. */
export function missing(can: Capabilities, endpoint: string, needs: () => Needs): Miss | null {
  if (lacks(can.apis, null, endpoint)) return { kind: 'api', name: endpoint };
  if (lacksNoNeed(can)) return null;
  const asked = needs();
  const input = asked.input((name) => lacks(can.input, can.lacks?.input ?? null, name));
  if (input !== undefined) return { kind: 'input', name: input };
  const feature = asked.feature((name) => lacks(can.features, can.lacks?.features ?? null, name));
  return feature === undefined ? null : { kind: 'feature', name: feature };
}

/** The 400 that ends a request at the turn of a model none of whose channels can do it. */
export function incapable(model: string, miss: Miss): Failure {
  const said = {
    api: `does not serve this endpoint (${miss.name})`,
    input: `does not take ${miss.name} as input`,
    feature: `does not support ${miss.name}`,
  };
  const { fault } = miss;
  return makeFailure({
    class: 'gateway_rejected',
    status: 400,
    code: fault?.code ?? (miss.kind === 'api' ? 'unsupported_model_api' : 'unsupported_model_input'),
    type: 'invalid_request_error',
    param: fault?.param ?? null,
    message: fault?.message ?? `the model ${quotedName(model)} ${said[miss.kind]}; choose another one, or leave it out`,
    phase: 'unsent',
  });
}
