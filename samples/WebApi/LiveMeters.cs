using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Faster.Hosting;

namespace WebApi;

/// <summary>The last value of each instrument of each store; in production an exporter has this place.</summary>
internal sealed class LiveMeters : IDisposable
{
    private readonly ConcurrentDictionary<string, double> _values = new();
    private readonly MeterListener _listener = new();

    public LiveMeters()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == FasterTelemetry.Name) listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.Start();
    }

    public string ReadAll()
    {
        _listener.RecordObservableInstruments();
        return string.Join('\n', _values.Select(static pair => $"{pair.Key} {pair.Value}").Order());
    }

    public void Dispose() => _listener.Dispose();

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        _values[$"{(tags.IsEmpty ? "" : tags[0].Value)} {instrument.Name}"] = value;
}
