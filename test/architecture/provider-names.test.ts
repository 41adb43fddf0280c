import { describe, expect, it } from 'vitest';
import { namedProviders, namesProvider, PROVIDER_NAMES } from './provider-names.ts';
import { parseSource, readSources, type SyntaxNode, stringValue, walk } from './source-tree.ts';

/** Places outside `src/providers/` that have to name one, each with its reason. An unused line fails the test. */
const EXCEPTIONS: readonly { readonly file: string; readonly text: string; readonly why: string }[] = [
  {
    file: 'src/server/data-routes.ts',
    text: '/openai/v1/chat/completions',
    why: 'a path of the data plane, named as its clients call it',
  },
  {
    file: 'src/server/data-routes.ts',
    text: '/openai/v1/responses',
    why: 'a path of the data plane, named as its clients call it',
  },
  {
    file: 'src/server/plain-routes.ts',
    text: '/openai/v1',
    why: 'where paths of the data plane begin, as their clients call them',
  },
  {
    file: 'src/server/model-path.ts',
    text: '^\\/openai\\/deployments\\/([^/]+)(\\/.+)$',
    why: 'a path of the data plane, named as its clients call it',
  },
  {
    file: 'src/server/plain-routes.ts',
    text: '/openai/v1',
    why: 'a path of the data plane, named as its clients call it',
  },
  {
    file: 'src/server/models.ts',
    text: '/openai/v1/models',
    why: 'a path of the data plane, named as its clients call it',
  },
  {
    file: 'src/config/schema/upstreams.ts',
    text: 'Endpoints that clients may use for it: `chat`, `responses`, `messages`, `gemini`, `completions`, `embeddings`, `moderations`, `rerank`, `images`, `image_edits`, `speech`, `transcriptions`, `translations`, `videos`. Which of the first four a provider speaks itself is not said here: requests are translated.',
    why: 'names an endpoint by its wire format',
  },
];

const isException = (file: string, text: string) =>
  EXCEPTIONS.some((exception) => exception.file === file && exception.text === text);

const sources = readSources('src').filter((file) => !file.isTest);

describe('provider names', () => {
  const outside = sources.filter((file) => !file.path.startsWith('src/providers/')).flatMap(namedProviders);

  it('stand in src/providers/ alone', () => {
    const unexplained = outside.filter(({ path, text }) => !isException(path, text));
    expect(unexplained.map(({ path, line, text }) => `${path}:${line} ${JSON.stringify(text)}`)).toEqual([]);
  });

  it('every exception is still needed', () => {
    const unused = EXCEPTIONS.filter(({ file, text }) => !outside.some((n) => n.path === file && n.text === text));
    expect(unused).toEqual([]);
  });

  it('the list knows every preset', () => {
    const types = new Set<string>();
    for (const source of sources.filter((file) => file.path.startsWith('src/providers/'))) {
      walk(source.program, (node) => {
        const key = (node['key'] as SyntaxNode | undefined)?.['name'];
        const value = node.type === 'Property' && key === 'type' ? stringValue(node['value']) : null;
        if (value !== null) types.add(value);
      });
    }
    const unknown = [...types].filter(
      (type) => type !== 'sim' && !PROVIDER_NAMES.some((name) => type.startsWith(name)),
    );
    expect(unknown).toEqual([]);
  });
});

describe('what counts as a name', () => {
  it.each(['deepseek', 'api.openai.com', 'x-groq-id', 'OpenAI', 'Together', 'azure-openai'])('%s does', (text) => {
    expect(namesProvider(text)).toBe(true);
  });

  it.each(['openai-chat', 'put together', 'openai-compatible', 'anthropic', 'maximal'])('%s does not', (text) => {
    expect(namesProvider(text)).toBe(false);
  });

  it('identifiers, templates and patterns are read, comments and imports are not', () => {
    const text = [
      `import { a } from '../providers/openai.ts';`,
      `// OpenAI's own`,
      `const isDeepseek = 1;`,
      ['const u = `https://$', '{isDeepseek}.groq.com`;'].join(''),
      `const p = /mistral/;`,
    ].join('\n');
    const found = namedProviders(parseSource('src/core/x.ts', text));
    expect(found.map(({ line }) => line)).toEqual([3, 4, 4, 5]);
  });
});
