/** The official clients of three dialects list models and look one up, each in its own shape. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { ADMIN_TOKEN, CLIENT_KEY } from './gateway-config.ts';

let gateway: RunningGateway;
let dataDir: string;

const IDS = Array.from({ length: 45 }, (_, at) => `maker/model-${String(at).padStart(2, '0')}`);

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-models-'));
  const config = {
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers: { maker: { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' } },
    models: Object.fromEntries(
      IDS.map((id) => [
        id,
        { context_window: 8000, channels: [{ id: 'c', provider: 'maker', model: 'm', max_output_tokens: 900 }] },
      ]),
    ),
    workspaces: { main: { virtual_models: { smart: { models: [IDS[0], IDS[1]] } } } },
    keys: [
      { name: 'sdk', workspace: 'main', secret: CLIENT_KEY },
      { name: 'narrow', workspace: 'main', secret: NARROW_KEY, models: [IDS[3]] },
    ],
  };
  gateway = await startGateway({ configText: JSON.stringify(config), port: 0, dataDir, env: {}, log: 'silent' });
});
afterAll(async () => {
  await gateway.close();
  await rm(dataDir, { recursive: true, force: true });
});

const NARROW_KEY = 'usk-narrow-client-key-0123456789abcdef';
const ALL = ['smart', ...IDS];

describe('OpenAI’s list', () => {
  it('holds all on one page, and each by its name', async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: CLIENT_KEY, maxRetries: 0 });
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(ALL);
    expect(await client.models.retrieve(IDS[2]!)).toMatchObject({ id: IDS[2], object: 'model', context_window: 8000 });
    await expect(client.models.retrieve('maker/nothing')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });
});

describe('the Messages dialect’s list', () => {
  const client = (apiKey = CLIENT_KEY) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });

  it('comes in pages, forwards and backwards', async () => {
    const ids: string[] = [];
    for await (const { id, type } of client().models.list({ limit: 7 })) ids.push(`${type} ${id}`);
    expect(ids).toEqual(ALL.map((id) => `model ${id}`));
    const before = await client().models.list({ before_id: IDS[4]!, limit: 2 });
    expect(before.data.map(({ id }) => id)).toEqual([IDS[2], IDS[3]]);
    expect([before.first_id, before.last_id, before.has_more]).toEqual([IDS[2], IDS[3], true]);
    expect((await client().models.list()).data).toHaveLength(20);
    await expect(client().models.list({ after_id: 'nobody' })).rejects.toMatchObject({ status: 400 });
  });

  it('R-1: one model by its name, errors in its own words', async () => {
    const { data, response } = await client().models.retrieve(IDS[2]!).withResponse();
    expect(data).toMatchObject({ type: 'model', id: IDS[2], display_name: IDS[2], max_input_tokens: 8000 });
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    const failed = await client()
      .models.retrieve('maker/nothing')
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Anthropic.NotFoundError);
    expect(failed).toMatchObject({ error: { type: 'error', error: { type: 'not_found_error' } } });
    await expect(client('wrong').models.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });

  it('G-3: only what the key may call', async () => {
    expect((await client(NARROW_KEY).models.list()).data.map(({ id }) => id)).toEqual([IDS[3]]);
  });
});

describe.each(['v1beta', 'v1'])('the Gemini dialect’s list under %s', (apiVersion) => {
  const client = () => new GoogleGenAI({ apiKey: CLIENT_KEY, apiVersion, httpOptions: { baseUrl: gateway.url } });

  it('comes in pages', async () => {
    const names: (string | undefined)[] = [];
    for await (const { name } of await client().models.list({ config: { pageSize: 7 } })) names.push(name);
    expect(names).toEqual(ALL.map((id) => `models/${id}`));
  });

  it.each([IDS[2]!, `models/${IDS[2]!}`])('one model by its name, %s', async (model) => {
    expect(await client().models.get({ model })).toMatchObject({ name: `models/${IDS[2]}`, inputTokenLimit: 8000 });
  });

  it('E-5: errors in its own words', async () => {
    const failed = await client()
      .models.get({ model: 'models/nothing' })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 404 });
    expect(JSON.parse((failed as Error).message)).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
  });
});
