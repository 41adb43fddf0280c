/** P-6: whether a model, or one of its channels, can do what a request asks. Unknown means it can. */
import { type Failure, makeFailure } from '../failure.ts';
import { quoted } from './read.ts';

/** What the operator says; null = unknown. */
export interface Capabilities {
  readonly apis: readonly string[] | null;
  readonly input: readonly string[] | null;
  readonly features: readonly string[] | null;
}

/** What one request needs, in the same words. */
export interface Needs {
  readonly inputs: readonly string[];
  readonly features: readonly string[];
}

/** What is missing: `api` when it is the endpoint itself. */
export interface Miss {
  readonly kind: 'api' | 'input' | 'feature';
  readonly name: string;
}

/** Whoever can fit a schema can write any JSON. */
const IMPLIED_BY: Readonly<Record<string, string>> = { json_object: 'json_schema' };

function lacks(known: readonly string[] | null, name: string): boolean {
  if (known === null || known.includes(name)) return false;
  const stronger = IMPLIED_BY[name];
  return stronger === undefined || !known.includes(stronger);
}

/** Nothing is said, so nothing can be missing: the common case. */
export function saysNothing({ apis, input, features }: Capabilities): boolean {
  return apis === null && input === null && features === null;
}

/** What a channel can: its own words where it has some, else its model's. */
export function ofChannel(model: Capabilities, channel: Capabilities | undefined): Capabilities {
  if (channel === undefined) return model;
  return {
    apis: channel.apis ?? model.apis,
    input: channel.input ?? model.input,
    features: channel.features ?? model.features,
  };
}

/** The first thing that is missing; null = nothing. */
export function missing(can: Capabilities, endpoint: string, needs: () => Needs): Miss | null {
  if (lacks(can.apis, endpoint)) return { kind: 'api', name: endpoint };
  if (can.input === null && can.features === null) return null;
  const { inputs, features } = needs();
  const input = inputs.find((name) => lacks(can.input, name));
  if (input !== undefined) return { kind: 'input', name: input };
  const feature = features.find((name) => lacks(can.features, name));
  return feature === undefined ? null : { kind: 'feature', name: feature };
}

/** The 400 that ends a request at the turn of a model none of whose channels can do it. */
export function incapable(model: string, miss: Miss): Failure {
  const said = {
    api: `does not serve this endpoint (${miss.name})`,
    input: `does not take ${miss.name} as input`,
    feature: `does not support ${miss.name}`,
  };
  return makeFailure({
    class: 'gateway_rejected',
    status: 400,
    code: miss.kind === 'api' ? 'unsupported_model_api' : 'unsupported_model_input',
    type: 'invalid_request_error',
    message: `the model ${quoted(model)} ${said[miss.kind]}; choose another one, or leave it out`,
    phase: 'unsent',
  });
}
