import { useAui } from '@assistant-ui/react';
import type { ReactNode } from 'react';

import { ChartView } from './chart';
import type { Card, Chart, DataCard } from './types';

/**
 * The cards with a view of their own. A card that is not among them, which a later version of the server may send, is shown by
 * its figures.
 */
const VIEWS: Record<string, (props: never) => ReactNode> = {
  DynamicChart: (chart: Chart) => <ChartView chart={chart} />,
  ComparisonChart: (chart: Chart) => <ChartView chart={chart} />,
  DataCard: (card: DataCard) => <DataCardView card={card} />,
  FleetOverview: (fleet: Fleet) => <FleetView fleet={fleet} />,
  ErrorCard: (error: { title: string; message: string }) => (
    <div role="alert">
      <h2>{error.title}</h2>
      <p>{error.message}</p>
    </div>
  ),
};

export function CardView({ card }: { card: Card }) {
  const aui = useAui();
  // Arguments come whole, but a runtime may render the part before they are there.
  if (!card.component) return null;
  const View = VIEWS[card.component];
  return (
    <section className="card" data-component={card.component} aria-label={card.component}>
      {View ? View(card.props as never) : <Figures title={card.component} props={card.props} />}
      <div className="suggestions">
        {card.suggestions?.map(({ label, action }) => (
          <button key={label} onClick={() => aui.thread().append(action)}>
            {label}
          </button>
        ))}
      </div>
    </section>
  );
}

function DataCardView({ card: { title, note, figures, chart, table } }: { card: DataCard }) {
  return (
    <>
      <h2>{title}</h2>
      {note && <p>{note}</p>}
      <dl>
        {figures?.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {chart && <ChartView chart={chart} />}
      {table && (
        <table>
          <thead>
            <tr>
              {table.columns.map(({ key, label, unit }) => (
                <th key={key}>{unit ? `${label} (${unit})` : label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, index) => (
              <tr key={index}>
                {table.columns.map(({ key }) => (
                  <td key={key}>{text(row[key])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

interface Fleet {
  totalPower: number;
  totalEnergy: number;
  deviceCount: number;
  onlineCount: number;
  devices: { loggerId: string; state: string; energy?: number }[];
}

function FleetView({ fleet }: { fleet: Fleet }) {
  return (
    <>
      <h2>
        {fleet.onlineCount} of {fleet.deviceCount} devices online
      </h2>
      <p>
        {text(fleet.totalPower)} W now, {text(fleet.totalEnergy)} kWh today
      </p>
      <ul className="devices">
        {fleet.devices.map(({ loggerId, state, energy }) => (
          <li key={loggerId} data-state={state}>
            {loggerId} <span>{state}</span> {energy !== undefined && `${text(energy)} kWh`}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The plain members of any card. */
function Figures({ title, props }: { title: string; props: Record<string, unknown> }) {
  const plain = Object.entries(props).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return (
    <>
      <h2>{words(title)}</h2>
      <dl>
        {plain.map(([name, value]) => (
          <div key={name}>
            <dt>{words(name)}</dt>
            <dd>{text(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const words = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').replace(/^./, (first) => first.toUpperCase());

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

function text(value: unknown): string {
  if (typeof value === 'number') return number.format(value);
  return value === undefined || value === null ? '' : String(value);
}
