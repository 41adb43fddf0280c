/** Content blocks of a request, each checked for its kind, its fields and its place. */
import { type Fields, fieldsOf } from '../../answer/fields.ts';
import { fieldsAt, inside, listAt, objectAt, optionalFlag, optionalWord, refuse, textAt } from './refused.ts';
import { isSealed, isSignatureOf } from './thoughts.ts';

/** A block with its kind, known to be well formed. */
export interface Block {
  readonly type: string;
  readonly fields: Fields;
}

export interface BlockRules {
  readonly role: 'user' | 'assistant' | 'system' | 'result';
  /** The API version of 2026-10-21 and later. */
  readonly newVersion: boolean;
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const CALL_ID = /^[a-zA-Z0-9_-]+$/;

/** Kinds that are looked into, with their fields, and those they need. */
const KINDS: Readonly<Record<string, { readonly known: readonly string[]; readonly required: readonly string[] }>> = {
  text: { known: ['type', 'text', 'cache_control', 'citations'], required: ['text'] },
  image: { known: ['type', 'source', 'cache_control'], required: ['source'] },
  document: { known: ['type', 'source', 'title', 'context', 'citations', 'cache_control'], required: ['source'] },
  search_result: {
    known: ['type', 'source', 'title', 'content', 'citations', 'cache_control'],
    required: ['source', 'title', 'content'],
  },
  thinking: { known: ['type', 'thinking', 'signature'], required: ['thinking', 'signature'] },
  redacted_thinking: { known: ['type', 'data'], required: ['data'] },
  tool_use: { known: ['type', 'id', 'name', 'input', 'cache_control', 'caller'], required: ['id', 'name', 'input'] },
  tool_reference: { known: ['type', 'tool_name', 'cache_control'], required: ['tool_name'] },
  tool_addition: { known: ['type', 'tool', 'cache_control'], required: ['tool'] },
  tool_removal: { known: ['type', 'tool', 'cache_control'], required: ['tool'] },
  tool_result: {
    known: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
    required: ['tool_use_id'],
  },
};

/** Kinds the provider's own tools make: they come back as they were. */
const SERVER_KINDS = /^(server_tool_use|mcp_tool_use|\w+_tool_result|container_upload|fallback|compaction)$/;

const ALLOWED: Readonly<Record<BlockRules['role'], readonly string[]>> = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use', 'document'],
  system: ['text', 'tool_addition', 'tool_removal'],
  result: ['text', 'image', 'document', 'search_result', 'tool_reference'],
};

/** Reads a message's content; a text is one block. Throws RefusedRequest. */
export function readBlocks(content: unknown, path: string, rules: BlockRules): Block[] {
  if (typeof content !== 'string')
    return listAt(content, path).map((value, i) => readBlock(value, inside(path, i), rules));
  if (content === '') return [];
  checkWords(content, path);
  return [{ type: 'text', fields: { type: 'text', text: content } }];
}

function checkWords(text: string, path: string): void {
  if (text === '') refuse(path, 'text content blocks must be non-empty');
  if (text.trim() === '') refuse(path, 'text content blocks must contain non-whitespace text');
}

function readBlock(value: unknown, path: string, rules: BlockRules): Block {
  const type = textAt(objectAt(value, path)['type'], inside(path, 'type'));
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const server = kind === undefined && SERVER_KINDS.test(type) && rules.role !== 'system';
  if (kind === undefined && !server) {
    refuse(path, `Input tag '${type}' found using 'type' does not match any of the expected tags`);
  }
  if (kind === undefined) return { type, fields: fieldsOf(value) };
  if (type === 'tool_use' && rules.role !== 'assistant') {
    refuse(path, '`tool_use` blocks can only be in `assistant` messages');
  }
  if (type === 'tool_result' && rules.role !== 'user')
    refuse(path, '`tool_result` blocks can only be in `user` messages');
  if (!ALLOWED[rules.role].includes(type))
    refuse(path, `\`${type}\` blocks are not permitted in \`${rules.role}\` turns`);
  const fields = fieldsAt(value, path, kind.known, kind.required);
  checkCacheMark(fields['cache_control'], inside(path, 'cache_control'));
  checkKind(type, fields, path, rules);
  return { type, fields };
}

function checkKind(type: string, fields: Fields, path: string, rules: BlockRules): void {
  switch (type) {
    case 'text':
      checkWords(textAt(fields['text'], inside(path, 'text')), path);
      checkCitations(fields['citations'], path, rules);
      return;
    case 'image':
      checkSource(fields['source'], inside(path, 'source'), 'image');
      return;
    case 'document':
      if (rules.role === 'assistant' && rules.newVersion) {
        refuse(path, '`document` blocks are not permitted in `assistant` messages');
      }
      checkSource(fields['source'], inside(path, 'source'), 'document');
      return;
    case 'thinking': {
      const thought = textAt(fields['thinking'], inside(path, 'thinking'));
      const signature = textAt(fields['signature'], inside(path, 'signature'));
      if (!isSignatureOf(signature, thought)) refuse(path, 'Invalid `signature` in `thinking` block');
      return;
    }
    case 'redacted_thinking':
      if (!isSealed(textAt(fields['data'], inside(path, 'data')))) {
        refuse(path, 'Invalid `data` in `redacted_thinking` block');
      }
      return;
    case 'tool_use':
      checkCallId(fields['id'], inside(path, 'id'));
      textAt(fields['name'], inside(path, 'name'));
      objectAt(fields['input'], inside(path, 'input'));
      return;
    case 'tool_result':
      checkCallId(fields['tool_use_id'], inside(path, 'tool_use_id'));
      optionalFlag(fields['is_error'], inside(path, 'is_error'));
      if (fields['content'] !== undefined && fields['content'] !== null) {
        readBlocks(fields['content'], inside(path, 'content'), { ...rules, role: 'result' });
      }
  }
}

function checkCallId(value: unknown, path: string): void {
  if (!CALL_ID.test(textAt(value, path))) refuse(path, "String should match pattern '^[a-zA-Z0-9_-]+$'");
}

function checkCitations(value: unknown, path: string, rules: BlockRules): void {
  if (value === undefined || value === null) return;
  const citations = listAt(value, inside(path, 'citations'));
  if (rules.newVersion && rules.role === 'user' && citations.length > 0) {
    refuse(inside(path, 'citations'), 'citations are not permitted on text blocks in `user` messages');
  }
}

function checkSource(value: unknown, path: string, kind: 'image' | 'document'): void {
  const source = objectAt(value, path);
  const type = textAt(source['type'], inside(path, 'type'));
  switch (type) {
    case 'base64': {
      const fields = fieldsAt(source, path, ['type', 'media_type', 'data'], ['media_type', 'data']);
      const types = kind === 'image' ? IMAGE_TYPES : ['application/pdf'];
      optionalWord(fields['media_type'], inside(path, 'media_type'), types);
      const data = textAt(fields['data'], inside(path, 'data'));
      if (data === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) refuse(inside(path, 'data'), 'invalid base64 data');
      return;
    }
    case 'url': {
      const url = textAt(fieldsAt(source, path, ['type', 'url'], ['url'])['url'], inside(path, 'url'));
      if (!/^https?:\/\//.test(url)) refuse(inside(path, 'url'), 'Only HTTP and HTTPS URLs are supported');
      return;
    }
    case 'file':
      textAt(fieldsAt(source, path, ['type', 'file_id'], ['file_id'])['file_id'], inside(path, 'file_id'));
      return;
  }
  if (kind === 'document' && type === 'text') {
    const fields = fieldsAt(source, path, ['type', 'media_type', 'data'], ['media_type', 'data']);
    optionalWord(fields['media_type'], inside(path, 'media_type'), ['text/plain']);
    textAt(fields['data'], inside(path, 'data'));
  } else if (kind === 'document' && type === 'content') {
    const { content } = fieldsAt(source, path, ['type', 'content'], ['content']);
    readBlocks(content, inside(path, 'content'), { role: 'result', newVersion: false });
  } else {
    refuse(path, `Input tag '${type}' found using 'type' does not match any of the expected tags`);
  }
}

/** The mark that ends a prefix to be cached. */
export function checkCacheMark(value: unknown, path: string): void {
  if (value === undefined || value === null) return;
  const fields = fieldsAt(value, path, ['type', 'ttl', 'scope'], ['type']);
  optionalWord(fields['type'], inside(path, 'type'), ['ephemeral']);
  optionalWord(fields['ttl'], inside(path, 'ttl'), ['5m', '1h']);
}
