/** The fields of the list's filters. */
import { useState } from 'react';
import { query } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { ComboBox } from '../../parts/combo-box.tsx';
import type { Filters } from '../../parts/filters.tsx';
import { useLater } from '../../parts/later.ts';
import { type Option, Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { KeyFilter } from './key-filter.tsx';
import { type FilterName, instantOf, isExact, localOf, RANGE_NAMES, RARER } from './request-filter.ts';
import { words } from './words.ts';

/** More than these are found by typing their names whole. */
const MOST_NAMES = 500;
const OUTCOMES = [
  'success',
  'client_error',
  'upstream_rate_limited',
  'upstream_unavailable',
  'network_unknown',
  'safety_refusal',
] as const;

interface FieldsProps {
  readonly filters: Filters<FilterName>;
}

export function FilterFields({ filters }: FieldsProps) {
  const say = useSay(words);
  const shared = useWords();
  const { values, set } = filters;
  const [open, setOpen] = useState(RARER.some((name) => values[name] !== ''));
  return (
    <>
      <TimeRange filters={filters} />
      <Select
        label={say('filter.outcome')}
        value={values.outcome}
        onChange={(outcome) => set({ outcome })}
        options={[{ id: '', label: say('any') }, ...OUTCOMES.map((id) => ({ id, label: shared(`outcome.${id}`) }))]}
      />
      <ModelFilter filters={filters} />
      <ClientKeyFilter filters={filters} />
      {open && <RarerFilters filters={filters} />}
      <div>
        <Button kind="quiet" icon="filter" onPress={() => setOpen(!open)} aria-expanded={open}>
          {say(open ? 'filter.fewer' : 'filter.more')}
        </Button>
      </div>
    </>
  );
}

function TimeRange({ filters: { values, set } }: FieldsProps) {
  const say = useSay(words);
  const exact = isExact(values);
  const choose = (range: string) => set(range === 'exact' ? { range } : { range, from: '', to: '' });
  return (
    <>
      <Select
        label={say('filter.range')}
        value={exact ? 'exact' : values.range}
        onChange={choose}
        options={[
          { id: '', label: say('range.any') },
          ...RANGE_NAMES.map((id) => ({ id, label: say(`range.${id}`) })),
          { id: 'exact', label: say('range.exact') },
        ]}
      />
      {exact && <Instant name="from" label={say('filter.from')} filters={{ values, set }} />}
      {exact && <Instant name="to" label={say('filter.to')} filters={{ values, set }} />}
    </>
  );
}

interface InstantProps {
  readonly name: 'from' | 'to';
  readonly label: string;
  readonly filters: Pick<Filters<FilterName>, 'values' | 'set'>;
}

function Instant({ name, label, filters: { values, set } }: InstantProps) {
  const [typed, type] = useLater(localOf(values[name]), (local) => set({ range: '', [name]: instantOf(local) }));
  return <TextField label={label} type="datetime-local" value={typed} onChange={type} />;
}

function ModelFilter({ filters: { values, set } }: FieldsProps) {
  const say = useSay(words);
  const [typed, type] = useLater(values.model, (model) => set({ model: model.trim() }));
  const models = query.useQuery('get', '/admin/v1/models', { params: { query: { limit: MOST_NAMES } } });
  const options: Option[] = (models.data?.data ?? []).map(({ id }) => ({ id, label: id }));
  return (
    <ComboBox
      label={say('filter.model')}
      options={options}
      value={typed}
      onChange={type}
      free
      placeholder={say('any')}
    />
  );
}

function ClientKeyFilter({ filters: { values, set } }: FieldsProps) {
  const say = useSay(words);
  const [typed, type] = useLater(values.key, (key) => set({ key: key.trim() }));
  const keys = query.useQuery('get', '/admin/v1/keys', { params: { query: { limit: MOST_NAMES } } });
  const options: Option[] = (keys.data?.data ?? []).map(({ name }) => ({ id: name, label: name }));
  return (
    <ComboBox label={say('filter.key')} options={options} value={typed} onChange={type} free placeholder={say('any')} />
  );
}

function RarerFilters({ filters }: FieldsProps) {
  const say = useSay(words);
  const { values, set } = filters;
  const [status, typeStatus] = useLater(values.status, (next) => isStatus(next) && set({ status: next.trim() }));
  return (
    <>
      <TextField
        label={say('filter.status')}
        value={status}
        onChange={typeStatus}
        placeholder={say('any')}
        error={isStatus(status) ? null : say('filter.status_wrong')}
      />
      <Select
        label={say('filter.failover')}
        value={values.failover}
        onChange={(failover) => set({ failover })}
        options={[
          { id: '', label: say('any') },
          { id: 'true', label: say('failover.true') },
          { id: 'false', label: say('failover.false') },
        ]}
      />
      <Select
        label={say('filter.degraded')}
        value={values.degraded}
        onChange={(degraded) => set({ degraded })}
        options={[
          { id: '', label: say('any') },
          { id: 'true', label: say('degraded.true') },
          { id: 'false', label: say('degraded.false') },
        ]}
      />
      <KeyFilter value={values.idempotency} onChange={(idempotency) => set({ idempotency })} />
    </>
  );
}

/** Nothing, or a status that there is. */
function isStatus(text: string): boolean {
  return text.trim() === '' || /^[1-5]\d\d$/.test(text.trim());
}
