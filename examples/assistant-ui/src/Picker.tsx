import { type FormEvent, useId, useState } from 'react';

import type { Question } from './types';

/** One value, several values joined by commas, a day, or a range of days `first:last`. */
type Selected = string;

interface Properties {
  question: Question;
  /** The result of the call; `undefined` while the question is open. */
  answer: unknown;
  onAnswer: (selected: Selected) => void;
}

export function Picker({ question, answer, onAnswer }: Properties) {
  const [fault, setFault] = useState('');
  if (answer !== undefined) {
    return (
      <section className="card picker">
        <h2>{question.prompt}</h2>
        <p className="chosen">{chosen(answer)}</p>
      </section>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget).getAll('value').map(String).filter(Boolean);
    const wrong = faultOf(question, values);
    setFault(wrong);
    if (!wrong) onAnswer(values.join(question.inputType === 'date-range' ? ':' : ', '));
  };
  return (
    <form className="card picker" onSubmit={submit} noValidate>
      {question.contextMessage && <p>{question.contextMessage}</p>}
      <h2>{question.prompt}</h2>
      <Fields question={question} />
      <p role="alert">{fault}</p>
      <button type="submit">Continue</button>
    </form>
  );
}

function Fields({ question }: { question: Question }) {
  const { inputType, selectionType, options, minDate, maxDate } = question;
  const id = useId();
  if (inputType !== 'dropdown') {
    const names = inputType === 'date' ? ['Day'] : ['From', 'To'];
    return names.map((name, index) => (
      <label key={name}>
        {name} <input type="date" name="value" min={minDate} max={maxDate} defaultValue={index === names.length - 1 ? maxDate : minDate} />
      </label>
    ));
  }
  return (
    <fieldset aria-label={question.prompt}>
      {options.map(({ value, label, subtitle }) => (
        <label key={value}>
          <input type={selectionType === 'multiple' ? 'checkbox' : 'radio'} name="value" value={value} id={`${id}-${value}`} />
          <span>{label}</span> <small>{subtitle}</small>
        </label>
      ))}
    </fieldset>
  );
}

function faultOf({ inputType, selectionType, minCount, maxCount }: Question, values: string[]): string {
  if (inputType === 'date-range' && (values.length < 2 || values[0]! > values[1]!)) return 'Choose a first and a last day.';
  const fewest = selectionType === 'multiple' ? (minCount ?? 1) : 1;
  if (values.length < fewest) return `Choose at least ${fewest}.`;
  if (maxCount && values.length > maxCount) return `Choose at most ${maxCount}.`;
  return '';
}

/** The answer in words: what was chosen here, or that it was answered otherwise. */
function chosen(answer: unknown): string {
  const { selection } = (answer ?? {}) as { selection?: string | string[] };
  return selection === undefined ? 'Answered in words' : [selection].flat().join(', ');
}
