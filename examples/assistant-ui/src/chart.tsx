import type { Chart } from './types';

const WIDTH = 600;
const HEIGHT = 200;
const COLORS = ['#2563eb', '#d97706', '#059669', '#db2777', '#7c3aed', '#475569'];

/** Bars or lines. A real application gives `chart` to its charting library: the data are rows with a key for each series. */
export function ChartView({ chart }: { chart: Chart }) {
  const { data, series, xAxisKey, title } = chart;
  const isBar = chart.chartType === 'bar' || chart.chartType === 'pie';
  const values = series.flatMap(({ dataKey }) => data.map((row) => figure(row[dataKey])).filter((value) => value !== undefined));
  const top = Math.max(...values, 0) || 1;
  const bottom = Math.min(...values, 0);
  const y = (value: number) => HEIGHT - ((value - bottom) / (top - bottom)) * HEIGHT;
  const step = WIDTH / Math.max(data.length, 1);
  const x = (index: number) => (index + 0.5) * step;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {series.map(({ dataKey, color }, which) => {
          const fill = color ?? COLORS[which % COLORS.length];
          const points = data.flatMap((row, index) => {
            const value = figure(row[dataKey]);
            return value === undefined ? [] : [{ index, value, at: String(row[xAxisKey]) }];
          });
          if (!isBar) return <polyline key={dataKey} fill="none" stroke={fill} strokeWidth="2" points={points.map(({ index, value }) => `${x(index)},${y(value)}`).join(' ')} />;
          const width = (step * 0.8) / series.length;
          return points.map(({ index, value, at }) => (
            <rect key={`${dataKey}-${index}`} x={x(index) - step * 0.4 + which * width} width={width} y={Math.min(y(value), y(0))} height={Math.abs(y(value) - y(0))} fill={fill}>
              <title>{`${at}: ${value}`}</title>
            </rect>
          ));
        })}
      </svg>
      <p className="axis">
        <span>{String(data[0]?.[xAxisKey] ?? '')}</span>
        <span>{series.map(({ name }) => name).join(', ')}</span>
        <span>{String(data.at(-1)?.[xAxisKey] ?? '')}</span>
      </p>
    </figure>
  );
}

const figure = (value: unknown) => (typeof value === 'number' ? value : undefined);
