/** Requests with an idempotency key, without one, or of one key: its hash is what the log knows, and what the address holds. */
import { type FormEvent, useState } from 'react';
import { Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSay } from '../../words/words.ts';
import { hashOfKey } from './request-filter.ts';
import { words } from './words.ts';

interface KeyFilterProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const isOneKey = (value: string): boolean => value !== '' && value !== 'any' && value !== 'none';

export function KeyFilter({ value, onChange }: KeyFilterProps) {
  const say = useSay(words);
  const [asking, setAsking] = useState(false);
  const one = isOneKey(value) || asking;
  const choose = (id: string) => {
    setAsking(id === 'this');
    if (id !== 'this') onChange(id);
    else if (!isOneKey(value)) onChange('');
  };
  return (
    <>
      <Select
        label={say('filter.idempotency')}
        value={one ? 'this' : value}
        onChange={choose}
        options={[
          { id: '', label: say('any') },
          { id: 'any', label: say('idempotency.any') },
          { id: 'none', label: say('idempotency.none') },
          { id: 'this', label: say('idempotency.this') },
        ]}
      />
      {one && <OneKey key={value} value={isOneKey(value) ? value : ''} onChange={onChange} />}
    </>
  );
}

function OneKey({ value, onChange }: KeyFilterProps) {
  const say = useSay(words);
  const [typed, setTyped] = useState(value);
  const [wrong, setWrong] = useState(false);
  const take = async () => {
    if (typed.trim() === value) return;
    const hash = await hashOfKey(typed);
    setWrong(hash === null);
    if (hash !== null) onChange(hash);
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    void take();
  };
  return (
    <form onSubmit={send} onBlur={() => void take()}>
      <TextField
        label={say('filter.this_key')}
        value={typed}
        onChange={setTyped}
        hint={say('filter.this_key_hint')}
        error={wrong ? say('filter.no_hashing') : null}
        code
        maxLength={255}
      />
    </form>
  );
}
