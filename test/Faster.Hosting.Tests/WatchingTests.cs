using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Faster.Hosting.Tests;

/// <summary>What health checks, metrics and traces say of stores.</summary>
public sealed class WatchingTests : IDisposable
{
    private readonly TestApplication _application = new();

    public void Dispose() => _application.Dispose();

    [Fact]
    public async Task A_store_that_takes_no_more_updates_is_unhealthy_and_stops_the_application()
    {
        _application.Configuration["Faster:Words:StopWhenPoisoned"] = "true";
        using IHost host = _application.Make<Words.Store>(
            "Words", static services => services.AddHealthChecks().AddFaster());
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        HealthReport before = await health.CheckHealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, before.Entries["faster-ready"].Status);
        Assert.Equal(HealthStatus.Healthy, before.Entries["faster-live"].Status);

        await host.StartAsync();
        HealthReport open = await health.CheckHealthAsync();
        Assert.Equal(HealthStatus.Healthy, open.Status);
        Assert.True((long)open.Entries["faster-ready"].Data["Words.memory"] > 0);

        Words.Store store = host.Services.GetRequiredService<Words.Store>();
        await using (Words.Session session = store.StartSession()) await session.RmwAsync("a", 1);
        string folder = Path.Combine(_application.Folder, "Words");
        Directory.Move(folder, folder + "-moved");
        await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync());
        HealthReport poisoned = await health.CheckHealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, poisoned.Entries["faster-ready"].Status);
        Assert.Equal(HealthStatus.Unhealthy, poisoned.Entries["faster-live"].Status);

        await Assert.ThrowsAnyAsync<Exception>(() => host.WaitForShutdownAsync()); // it can't commit at its end
        Assert.Contains(
            _application.Log.Lines, static line => line.Contains("the application stops", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Every_documented_instrument_measures_each_store()
    {
        var seen = new ConcurrentDictionary<string, double>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, own) =>
        {
            if (instrument.Meter.Name == FasterTelemetry.Name) own.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.Start();
        using IHost host = _application.Make(services => services.AddFaster<Words.Store>(
            settings => settings.Path = Path.Combine(_application.Folder, "w"), "measured"));
        await host.StartAsync();
        Words.Store store = host.Services.GetRequiredService<Words.Store>();
        await using (Words.Session session = store.StartSession())
        {
            await session.RmwAsync("a", 1);
            await store.CommitAsync();
            listener.RecordObservableInstruments();
        }

        Assert.Equal(1, seen[FasterTelemetry.Sessions]);
        Assert.Equal(0, seen[FasterTelemetry.Poisoned]);
        string[] documented = [.. typeof(FasterTelemetry).GetFields(BindingFlags.Public | BindingFlags.Static)
            .Where(static field => field.Name is not (nameof(FasterTelemetry.Name) or nameof(FasterTelemetry.StoreTag))
                && !field.Name.EndsWith("Activity", StringComparison.Ordinal))
            .Select(static field => (string)field.GetValue(null)!).Order(StringComparer.Ordinal)];
        Assert.Equal(documented, seen.Keys.Order(StringComparer.Ordinal));
        await host.StopAsync();

        void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            if (tags.Length == 1 && tags[0] is { Key: FasterTelemetry.StoreTag, Value: "measured" })
                seen[instrument.Name] = value;
        }
    }

    [Fact]
    public async Task Opening_and_commits_are_traced()
    {
        var names = new ConcurrentQueue<string>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == FasterTelemetry.Name,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.GetTagItem(FasterTelemetry.StoreTag) is "traced") names.Enqueue(activity.OperationName);
            },
        };
        ActivitySource.AddActivityListener(listener);
        using IHost host = _application.Make(services => services.AddFaster<Words.TieredStore>(
            settings => settings.Path = Path.Combine(_application.Folder, "w"), "traced"));
        await host.StartAsync();
        Words.TieredStore store = host.Services.GetRequiredService<Words.TieredStore>();
        await using (Words.TieredSession session = store.StartSession()) await session.RmwAsync("a", 1);
        await host.StopAsync();
        Assert.Equal([FasterTelemetry.OpenActivity, FasterTelemetry.CommitActivity], names);
    }
}
