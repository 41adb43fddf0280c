import { describe, expect, it } from 'vitest';
import { readError } from './error-reading.ts';
import { rejectsOpaque } from './opaque-rules.ts';

const rejects = (error: object, failureClass: 'invalid_request' | 'server_error' = 'invalid_request') =>
  rejectsOpaque(failureClass, readError({ error }));

describe('R-5: errors that reject opaque reasoning', () => {
  it.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.3.content.1: Invalid signature in redacted_thinking block',
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
    'Invalid thought signature.',
    'Corrupted thought signature.',
    'Thought signature is not valid',
    'The thought_signature could not be verified',
    'The encrypted content gAAA… could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    'Encrypted content organization_id did not match the target organization.',
    'Failed to decrypt the encrypted_content of item rs_1',
    'The reasoning block cannot be decrypted',
    'Encrypted content is not supported with this model.',
    "Item with id 'rs_68af' not found. Items are not persisted when `store` is set to false.",
  ])('%s', (message) => {
    expect(rejects({ message })).toBe(true);
    expect(rejects({ message }, 'server_error')).toBe(false);
  });

  it('by its code alone', () => {
    expect(rejects({ code: 'invalid_encrypted_content', message: 'no' })).toBe(true);
  });

  it.each([
    'Function call is missing a thought_signature in functionCall parts.',
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.',
    'max_tokens must be greater than thinking.budget_tokens',
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    'The request signature we calculated does not match the signature you provided.',
    'Invalid value: the content is encrypted at rest',
    "Item with id 'msg_68af' not found. Items are not persisted when `store` is set to false.",
  ])('not: %s', (message) => {
    expect(rejects({ message })).toBe(false);
  });
});
