using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Faster.Hosting;

/// <summary>The instruments of an application's stores: <see cref="FasterTelemetry"/> names them.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class StoreMeters
{
    private readonly ConcurrentDictionary<StoreHost, bool> _hosts = new();
    private readonly Histogram<double> _commitDuration;

    /// <summary>Makes the instruments.</summary>
    /// <param name="meters">Makes and owns the meter; null for a meter that all of the process shares.</param>
    public StoreMeters(IMeterFactory? meters)
    {
        Meter meter = meters?.Create(FasterTelemetry.Name) ?? new Meter(FasterTelemetry.Name);
        Gauge(meter, FasterTelemetry.MemorySize, "By", static s => s.MemoryBytes);
        Gauge(meter, FasterTelemetry.DiskSize, "By", static s => s.DiskBytes);
        Gauge(meter, FasterTelemetry.Sessions, "{session}", static s => s.Sessions);
        Gauge(meter, FasterTelemetry.PendingOperations, "{operation}", static s => s.PendingOperations);
        Gauge(meter, FasterTelemetry.Poisoned, "{store}", static s => s.IsPoisoned ? 1 : 0);
        _ = meter.CreateObservableGauge(
            FasterTelemetry.CommitAge, () => Measure(static (_, s) => s.LastCommitAge?.TotalSeconds), "s");
        _ = meter.CreateObservableCounter(
            FasterTelemetry.OperationLogSyncs, () => Measure<long>(static (_, s) => s.OperationLogSyncs), "{sync}");
        _ = meter.CreateObservableCounter(
            FasterTelemetry.Faults, () => Measure<long>(static (host, _) => host.Faults), "{fault}");
        _commitDuration = meter.CreateHistogram<double>(FasterTelemetry.CommitDuration, "s");
    }

    /// <summary>Adds a store, which is measured while it is open.</summary>
    public void Add(StoreHost host) => _hosts[host] = true;

    /// <summary>Removes a store.</summary>
    public void Remove(StoreHost host) => _hosts.TryRemove(host, out _);

    /// <summary>Measures a commit.</summary>
    public void OnCommitted(string store, TimeSpan elapsed) =>
        _commitDuration.Record(elapsed.TotalSeconds, Tag(store));

    private void Gauge(Meter meter, string name, string unit, Func<EngineStatistics, long> read) =>
        _ = meter.CreateObservableGauge(name, () => Measure<long>((_, statistics) => read(statistics)), unit);

    private IEnumerable<Measurement<T>> Measure<T>(Func<StoreHost, EngineStatistics, T?> read)
        where T : struct
    {
        foreach (StoreHost host in _hosts.Keys)
        {
            if (host.Opened is { } store && read(host, store.Statistics) is { } value)
                yield return new Measurement<T>(value, Tag(host.Name));
        }
    }

    private static KeyValuePair<string, object?> Tag(string store) => new(FasterTelemetry.StoreTag, store);
}
