import { describe, expect, it } from 'vitest';
import type { Dialect, Operation } from '../core/wire-names.ts';
import { addressOf, baseUrlOf, joined, regionOf } from './addresses.ts';
import { presets } from './presets.ts';

interface Case {
  readonly dialect?: Dialect;
  readonly operation?: Operation;
  readonly model?: string;
  readonly stream?: boolean;
  readonly base?: string;
  readonly apiVersion?: string;
  readonly location?: string;
}

function url(type: string, given: Case = {}): string {
  const preset = presets.get(type)!;
  const place = {
    type,
    addressing: preset.addressing,
    apiVersion: given.apiVersion ?? null,
    region: 'eu-west-1',
    project: 'acme-1',
    location: given.location ?? null,
  };
  const path = addressOf(place, {
    dialect: given.dialect ?? preset.dialects[0]!,
    operation: given.operation ?? 'generate',
    upstreamModel: given.model ?? 'm',
    stream: given.stream ?? false,
  });
  return joined(given.base ?? preset.baseUrl ?? baseUrlOf(place) ?? 'http://host', path);
}

describe('addresses', () => {
  it.each([
    ['openai', {}, 'https://api.openai.com/v1/chat/completions'],
    ['openai', { dialect: 'openai-responses', stream: true }, 'https://api.openai.com/v1/responses'],
    ['openai', { operation: 'embeddings' }, 'https://api.openai.com/v1/embeddings'],
    ['openai', { operation: 'image_edit' }, 'https://api.openai.com/v1/images/edits'],
    ['openai', { operation: 'translation' }, 'https://api.openai.com/v1/audio/translations'],
    ['zhipu', {}, 'https://open.bigmodel.cn/api/paas/v4/chat/completions'],
    ['openai-compatible', { base: 'http://h:1/x', operation: 'rerank' }, 'http://h:1/x/rerank'],
  ] as const)('of %s %j', (type, given, expected) => {
    expect(url(type, given)).toBe(expected);
  });

  it.each([
    [{}, 'https://api.anthropic.com/v1/messages'],
    [{ stream: true }, 'https://api.anthropic.com/v1/messages'],
    [{ operation: 'count_tokens' }, 'https://api.anthropic.com/v1/messages/count_tokens'],
    [{ base: 'http://relay/anthropic' }, 'http://relay/anthropic/v1/messages'],
    [{ base: 'http://relay/v1' }, 'http://relay/v1/messages'],
  ] as const)('of Messages %j: a version is not said twice', (given, expected) => {
    expect(url('anthropic', given)).toBe(expected);
  });

  const GENERATE = 'https://generativelanguage.googleapis.com/v1beta/models/';
  it.each([
    [{}, `${GENERATE}m:generateContent`],
    [{ stream: true }, `${GENERATE}m:streamGenerateContent?alt=sse`],
    [{ operation: 'count_tokens' }, `${GENERATE}m:countTokens`],
    [{ model: 'models/g 1/x:y' }, `${GENERATE}g%201%2Fx%3Ay:generateContent`],
    [{ model: 'tunedModels/t1' }, `${GENERATE.replace('models/', 'tunedModels/')}t1:generateContent`],
    [{ base: 'http://h/v1' }, 'http://h/v1/models/m:generateContent'],
    [{ base: 'http://h/v1alpha' }, 'http://h/v1alpha/models/m:generateContent'],
  ] as const)('of Gemini %j', (given, expected) => {
    expect(url('gemini', given)).toBe(expected);
  });

  it.each([
    [{}, 'http://host/openai/v1/chat/completions'],
    [{ dialect: 'openai-responses' }, 'http://host/openai/v1/responses'],
    [{ base: 'http://host/openai/v1' }, 'http://host/openai/v1/chat/completions'],
    [{ base: 'http://host/openai' }, 'http://host/openai/v1/chat/completions'],
    [{ apiVersion: 'v1' }, 'http://host/openai/v1/chat/completions'],
    [{ apiVersion: 'preview' }, 'http://host/openai/v1/chat/completions?api-version=preview'],
    [{ base: 'http://host/openai/deployments/old' }, 'http://host/openai/v1/chat/completions'],
    [{ apiVersion: '2024-10-21' }, 'http://host/openai/deployments/m/chat/completions?api-version=2024-10-21'],
    [
      { apiVersion: '2024-10-21', base: 'http://host/openai/v1', operation: 'embeddings', model: 'a/b' },
      'http://host/openai/deployments/a%2Fb/embeddings?api-version=2024-10-21',
    ],
    [
      { apiVersion: '2025-04-01-preview', dialect: 'openai-responses' },
      'http://host/openai/responses?api-version=2025-04-01-preview',
    ],
  ] as const)('of deployments %j', (given, expected) => {
    expect(url('azure-openai', given)).toBe(expected);
  });

  const ARN = 'arn:aws:bedrock:eu-west-1:1:inference-profile/eu.x';
  it.each([
    [{ model: 'a.b-v1:0' }, 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/a.b-v1%3A0/converse'],
    [
      { model: ARN, stream: true },
      `https://bedrock-runtime.eu-west-1.amazonaws.com/model/${encodeURIComponent(ARN)}/converse-stream`,
    ],
    [{ base: 'http://proxy' }, 'http://proxy/model/m/converse'],
  ] as const)('of Converse %j: the model is one segment', (given, expected) => {
    expect(url('bedrock', given)).toBe(expected);
  });

  const GLOBAL = 'https://aiplatform.googleapis.com/v1/projects/acme-1/locations/global/publishers';
  it.each([
    [{ model: 'gemini-3-pro' }, `${GLOBAL}/google/models/gemini-3-pro:generateContent`],
    [{ model: 'meta/llama-4', stream: true }, `${GLOBAL}/meta/models/llama-4:streamGenerateContent?alt=sse`],
    [{ dialect: 'anthropic', model: 'claude-x@1' }, `${GLOBAL}/anthropic/models/claude-x%401:rawPredict`],
    [
      { dialect: 'anthropic', model: 'anthropic/claude-x', stream: true },
      `${GLOBAL}/anthropic/models/claude-x:streamRawPredict`,
    ],
    [
      { dialect: 'anthropic', model: 'claude-x', operation: 'count_tokens' },
      `${GLOBAL}/anthropic/models/count-tokens:rawPredict`,
    ],
    [
      { location: 'europe-west1', base: 'http://h/v1beta1' },
      'http://h/v1beta1/projects/acme-1/locations/europe-west1/publishers/google/models/m:generateContent',
    ],
  ] as const)('of publishers %j', (given, expected) => {
    expect(url('vertex', given)).toBe(expected);
  });

  it('of the simulator are those of each dialect, under its one base', () => {
    const base = 'http://127.0.0.1:4010/v1';
    const of = (dialect: Dialect): string => url('sim', { base, dialect });
    expect(of('openai-chat')).toBe(`${base}/chat/completions`);
    expect(of('openai-responses')).toBe(`${base}/responses`);
    expect(of('anthropic')).toBe(`${base}/messages`);
    expect(of('gemini')).toBe(`${base}/models/m:generateContent`);
    expect(of('bedrock')).toBe('http://127.0.0.1:4010/model/m/converse');
  });

  it('of regions and places', () => {
    const none = { region: null, location: null };
    expect(baseUrlOf({ type: 'bedrock', ...none })).toBeNull();
    expect(baseUrlOf({ type: 'bedrock', ...none, region: 'cn-north-1' })).toBe(
      'https://bedrock-runtime.cn-north-1.amazonaws.com.cn',
    );
    expect(baseUrlOf({ type: 'vertex', ...none })).toBe('https://aiplatform.googleapis.com');
    expect(baseUrlOf({ type: 'vertex', ...none, location: 'eu' })).toBe('https://aiplatform.eu.rep.googleapis.com');
    expect(baseUrlOf({ type: 'vertex', ...none, location: 'asia-east1' })).toBe(
      'https://asia-east1-aiplatform.googleapis.com',
    );
    expect(baseUrlOf({ type: 'openai', ...none })).toBeNull();
  });

  it('a signature’s region is as set, else as the host says', () => {
    expect(regionOf('eu-west-1', 'http://proxy')).toBe('eu-west-1');
    expect(regionOf(null, 'https://bedrock-runtime.ap-south-1.amazonaws.com')).toBe('ap-south-1');
    expect(regionOf(null, 'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com')).toBe('us-gov-west-1');
    expect(regionOf(null, 'http://proxy')).toBe('us-east-1');
  });
});
