/** Every part at once, for whoever works on them: `npm run dev`, then /console/gallery.html. No part of the build. */
import '../src/theme/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { queryClient } from '../src/api/query-client.ts';
import { ApiTrouble } from '../src/api/trouble.ts';
import { Badge } from '../src/parts/badge.tsx';
import { Button, IconButton, LinkButton } from '../src/parts/button.tsx';
import { Checkbox } from '../src/parts/checkbox.tsx';
import { CodeBlock, JsonView } from '../src/parts/code-block.tsx';
import { ComboBox } from '../src/parts/combo-box.tsx';
import { type Column, DataTable } from '../src/parts/data-table.tsx';
import { ConfirmDialog, Drawer, FormDialog } from '../src/parts/dialog.tsx';
import { Empty } from '../src/parts/empty.tsx';
import { ErrorBox } from '../src/parts/error-box.tsx';
import { Duration, Money, Share, Time } from '../src/parts/figures.tsx';
import { FilterBar } from '../src/parts/filters.tsx';
import { formatDuration } from '../src/parts/format.ts';
import { IdText } from '../src/parts/id-text.tsx';
import { KeyValue } from '../src/parts/key-value.tsx';
import { MenuButton, MenuItem } from '../src/parts/menu.tsx';
import { NumberField } from '../src/parts/number-field.tsx';
import { Grid, Page, Row, Section, Stack } from '../src/parts/page.tsx';
import { ReorderList } from '../src/parts/reorder-list.tsx';
import { SecretOnce } from '../src/parts/secret-once.tsx';
import { Select } from '../src/parts/select.tsx';
import { Skeleton } from '../src/parts/skeleton.tsx';
import { Sparkline } from '../src/parts/sparkline.tsx';
import { Stat } from '../src/parts/stat.tsx';
import { Switch } from '../src/parts/switch.tsx';
import { Tabs } from '../src/parts/tabs.tsx';
import { TextField } from '../src/parts/text-field.tsx';
import { TimeSeries } from '../src/parts/time-series.tsx';
import { showDone, showTrouble, ToastRegion } from '../src/parts/toast.tsx';
import { startTheme } from '../src/theme/theme.ts';

const NOW = Date.UTC(2026, 10, 29, 3, 0, 0);
const AT = Array.from({ length: 60 }, (_, minute) => NOW - (59 - minute) * 60_000);
const WAVE = AT.map((_, n) => 120 + 60 * Math.sin(n / 6) + (n % 7) * 6);
const LATENCY = [
  { id: 'p', label: 'P99 primary', colour: 1, values: WAVE, as: 'line' },
  { id: 'f', label: 'P99 fallback', colour: 2, values: WAVE.map((v, n) => (n < 20 ? null : v * 1.7)), dashed: true },
] as const;
const TRAFFIC = [
  { id: 'ok', label: 'Success', colour: 5, values: WAVE.map((v) => Math.round(v)), as: 'bars' },
  {
    id: 'cover',
    label: 'Covered',
    colour: 2,
    values: WAVE.map((v, n) => (n > 30 ? Math.round(v / 5) : 0)),
    as: 'bars',
  },
  { id: 'bad', label: 'Failed', colour: 4, values: WAVE.map((_, n) => (n > 40 ? n % 9 : 0)), as: 'bars' },
] as const;

interface Line {
  readonly id: string;
  readonly model: string;
  readonly ms: number;
  readonly cost: number | null;
  readonly state: 'ok' | 'bad' | 'cover';
}
const LINES: readonly Line[] = [
  { id: 'req_01jd0z8k4m', model: 'nova-large', ms: 812, cost: 41_000, state: 'ok' },
  { id: 'req_01jd0z8k4n', model: 'orca-large → nova-large', ms: 2_420, cost: 1_240_000, state: 'cover' },
  { id: 'req_01jd0z8k4p', model: '<script>alert(1)</script>'.repeat(4), ms: 30_400, cost: null, state: 'bad' },
];
const COLUMNS: readonly Column<Line>[] = [
  { id: 'id', header: 'Request', cell: ({ id }) => <code>{id}</code>, sort: ({ id }) => id },
  { id: 'model', header: 'Model', cell: ({ model }) => model, sort: ({ model }) => model },
  { id: 'state', header: 'State', cell: ({ state }) => <Badge tone={state}>{state}</Badge> },
  { id: 'ms', header: 'Latency', cell: ({ ms }) => <Duration ms={ms} />, sort: ({ ms }) => ms, align: 'end' },
  { id: 'cost', header: 'Cost', cell: ({ cost }) => <Money nano={cost} />, sort: ({ cost }) => cost, align: 'end' },
];
const REFUSED = new ApiTrouble(400, '`limits.rpm` must be at least 1', {
  code: 'invalid_parameter',
  param: 'limits.rpm',
  requestId: 'req_01jd0z8k4q',
});

function Gallery() {
  const [text, setText] = useState('nova');
  const [on, setOn] = useState(true);
  const [order, setOrder] = useState(['north-main', 'north-spare', 'south-main']);
  const [open, setOpen] = useState<'form' | 'confirm' | 'drawer' | null>(null);
  const close = () => setOpen(null);
  const options = ['nova-large', 'nova-flash', 'orca-large'].map((id) => ({ id, label: id, note: `sim/${id}` }));
  return (
    <main style={{ maxWidth: 1200, margin: 'auto', padding: 24 }}>
      <Page
        title="Parts"
        about="All of them, as they look."
        marks={<Badge tone="warn">3 covering</Badge>}
        actions={
          <>
            <Button icon="refresh" onPress={() => showDone('Refreshed')}>
              Refresh
            </Button>
            <Button kind="main" icon="plus" onPress={() => setOpen('form')}>
              Create
            </Button>
            <MenuButton>
              <MenuItem onAction={() => setOpen('drawer')}>Open the drawer</MenuItem>
              <MenuItem danger onAction={() => setOpen('confirm')}>
                Revoke
              </MenuItem>
            </MenuButton>
          </>
        }
        filters={
          <FilterBar
            onClear={() => setText('')}
            actions={
              <Switch on={on} onChange={setOn}>
                Live
              </Switch>
            }
          >
            <TextField label="Key" value={text} onChange={setText} />
            <Select label="Status" options={options} value="nova-large" onChange={() => {}} />
            <ComboBox label="Model" options={options} value={text} onChange={setText} free />
          </FilterBar>
        }
      >
        <Grid min={200}>
          <Stat label="Requests" value="12,480" note="+4 %">
            <Sparkline label="Requests" values={WAVE} />
          </Stat>
          <Stat label="Success" value={<Share part={9997} whole={10000} />} tone="ok" note="99.9 % before" />
          <Stat label="Covered by another model" value="4.1 %" tone="cover" note="0.2 % before" />
          <Stat label="Waste" value={<Money nano={812_000_000} />} tone="bad" />
        </Grid>
        <Grid min={420}>
          <Section title="Latency">
            <TimeSeries
              label="Latency"
              at={AT}
              series={LATENCY}
              format={formatDuration}
              onSelect={() => showDone('Chosen')}
            />
          </Section>
          <Section title="Traffic">
            <TimeSeries label="Traffic" at={AT} series={TRAFFIC} stacked />
          </Section>
        </Grid>
        <Section title="Requests" bare actions={<Button small>Export</Button>}>
          <DataTable
            label="Requests"
            columns={COLUMNS}
            rows={LINES}
            rowId={({ id }) => id}
            rowLink={({ id }) => `/requests/${id}`}
            rowTone={({ state }) => (state === 'ok' ? undefined : state)}
            rowActions={({ id }) => <IconButton icon="copy" label={`Copy ${id}`} />}
            onMore={() => showTrouble(REFUSED)}
          />
        </Section>
        <Grid min={340}>
          <Section title="Order">
            <ReorderList label="Order" items={order} itemId={(id) => id} itemName={(id) => id} onChange={setOrder}>
              {(id, index) => `${index + 1}. ${id}`}
            </ReorderList>
          </Section>
          <Section title="Facts">
            <KeyValue
              facts={[
                { name: 'Id', value: <IdText text="req_01jd0z8k4m0000000000000000" /> },
                { name: 'At', value: <Time at={NOW} /> },
                { name: 'State', value: <Badge tone="info">running</Badge> },
              ]}
            />
          </Section>
          <Section title="Fields">
            <Stack>
              <TextField
                label="Name"
                value={text}
                onChange={setText}
                hint="Unique; shown in logs."
                error="Taken already"
              />
              <TextField label="Body" value="{}" onChange={() => {}} lines={3} code />
              <NumberField label="Requests per minute" value={600} onChange={() => {}} min={1} />
              <Checkbox checked={on} onChange={setOn}>
                It may fail its own requests on purpose
              </Checkbox>
            </Stack>
          </Section>
        </Grid>
        <Tabs
          label="Views"
          tabs={[
            { id: 'json', label: 'JSON', content: <JsonView value={LINES} /> },
            { id: 'curl', label: 'curl', content: <CodeBlock label="curl" text="curl -i http://127.0.0.1:4000" /> },
            {
              id: 'none',
              label: 'Empty',
              content: <Empty title="No keys yet" action={<LinkButton to="/keys">Make one</LinkButton>} />,
            },
          ]}
        />
        <SecretOnce label="Client key" secret="us-4fX0b8sYp2qL9dKw7TzR1vNc6mHj3gE5aUoQ" />
        <ErrorBox error={REFUSED} onRetry={() => {}} />
        <Row>
          <Badge>off</Badge>
          <Badge tone="ok">ok</Badge>
          <Badge tone="warn">warn</Badge>
          <Badge tone="bad">bad</Badge>
          <Badge tone="cover">cover</Badge>
          <Button kind="danger">Revoke</Button>
          <Button kind="quiet">Quiet</Button>
          <Button isDisabled>Disabled</Button>
        </Row>
        <Skeleton lines={3} />
      </Page>
      <FormDialog
        title="New key"
        open={open === 'form'}
        onClose={close}
        action="Create"
        onSubmit={() => Promise.reject(REFUSED)}
      >
        <TextField label="Name" value={text} onChange={setText} autoFocus />
        <Select label="Workspace" options={options} value="nova-large" onChange={() => {}} />
      </FormDialog>
      <ConfirmDialog
        title="Revoke `shop`?"
        danger
        open={open === 'confirm'}
        onClose={close}
        action="Revoke"
        onConfirm={async () => {}}
      >
        Requests with it are refused from now on.
      </ConfirmDialog>
      <Drawer title="Delivery" open={open === 'drawer'} onClose={close}>
        <JsonView value={LINES} />
      </Drawer>
      <ToastRegion />
    </main>
  );
}

startTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('gallery.html has no #root');
createRoot(root).render(
  <QueryClientProvider client={queryClient}>
    <BrowserRouter basename="/console">
      <Gallery />
    </BrowserRouter>
  </QueryClientProvider>,
);
