/** Asks for the name and the first model of a new virtual model; it is part of the draft until that is saved. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ComboBox } from '../../parts/combo-box.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import type { Option } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSay } from '../../words/words.ts';
import { words } from './words.ts';

/** As the gateway takes them. */
const NAME = /^[^\s,*]{1,256}$/;

export interface AddVirtualModelProps {
  readonly taken: readonly string[];
  readonly options: readonly Option[];
  readonly onAdd: (name: string, model: string) => void;
}

export function AddVirtualModel({ taken, options, onAdd }: AddVirtualModelProps) {
  const say = useSay(words);
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const wanted = name.trim();
  const isTaken = taken.includes(wanted);
  const isBad = wanted !== '' && !NAME.test(wanted);
  const close = () => {
    setOpen(false);
    setName('');
    setModel('');
  };
  return (
    <div>
      <Button icon="plus" onPress={() => setOpen(true)}>
        {say('virtual_add')}
      </Button>
      <FormDialog
        title={say('virtual_add')}
        open={open}
        onClose={close}
        action={say('add')}
        disabled={wanted === '' || model.trim() === '' || isTaken || isBad}
        onSubmit={async () => onAdd(wanted, model.trim())}
      >
        <TextField
          label={say('virtual_name')}
          hint={say('virtual_name_hint')}
          value={name}
          onChange={setName}
          error={isTaken ? say('virtual_taken') : isBad ? say('virtual_bad') : null}
          autoFocus
          code
        />
        <ComboBox label={say('virtual_first')} options={options} value={model} onChange={setModel} free />
      </FormDialog>
    </div>
  );
}
