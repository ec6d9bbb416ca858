using System.Collections.Concurrent;
using Faster.Engines;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Faster.Hosting;

/// <summary>Judges the health of an application's stores by their statistics.</summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="provider">The application's services, or those of a scope.</param>
/// <param name="onlyLive">Whether only what a start of the process would cure counts.</param>
internal sealed class HealthCheck(IServiceProvider provider, bool onlyLive) : IHealthCheck
{
    private static readonly TimeSpan FaultsCount = TimeSpan.FromMinutes(1);

    private readonly StoreHost[] _hosts = [.. provider.GetServices<HostEntry>()
        .Select(entry => provider.GetRequiredKeyedService<StoreHost>(entry))];

    private readonly TimeProvider _time = provider.GetRequiredService<HostServices>().Time;
    private readonly ConcurrentDictionary<string, (long? Version, long Since)> _waiting = new();

    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var status = HealthStatus.Healthy;
        List<string> reasons = [];
        Dictionary<string, object> data = [];
        foreach (StoreHost host in _hosts)
        {
            foreach ((HealthStatus found, string reason) in Judge(host, data))
            {
                if (found < status) status = found;
                reasons.Add($"{host.Name}: {reason}");
            }
        }

        return Task.FromResult(new HealthCheckResult(
            status, reasons.Count == 0 ? null : string.Join("; ", reasons), exception: null, data));
    }

    private IEnumerable<(HealthStatus Status, string Reason)> Judge(StoreHost host, Dictionary<string, object> data)
    {
        if (host.Opened is not { } store)
        {
            if (!onlyLive) yield return (HealthStatus.Unhealthy, "is not open");
            yield break;
        }

        EngineStatistics now = store.Statistics;
        data[$"{host.Name}.memory"] = now.MemoryBytes;
        data[$"{host.Name}.disk"] = now.DiskBytes;
        data[$"{host.Name}.sessions"] = now.Sessions;
        if (now.LastCommitAge is { } age) data[$"{host.Name}.commit.age"] = age.TotalSeconds;
        if (now.IsPoisoned)
        {
            string cause = now.LastFault is { } last ? ": " + last.Message : "";
            yield return (HealthStatus.Unhealthy, "takes no more updates; start the application again" + cause);
        }

        if (onlyLive) yield break;
        if (host.FaultWithin(FaultsCount) is { } fault) yield return (HealthStatus.Degraded, fault.Message);
        if (IsOverdue(host, store, now))
            yield return (HealthStatus.Degraded, $"no commit for {host.Settings.CommitDelayLimit}, while work waits");
        if (now is StoreStatistics { DiskBudgetExceeded: true } or TieredStatistics { DiskBudgetExceeded: true })
            yield return (HealthStatus.Degraded, "the disk budget is exceeded");
        if (now.StalledBy is { } stalled) yield return (HealthStatus.Degraded, "stalled by " + stalled);
    }

    // Since the first check that has found work after the same commit: an idle store has none to make.
    private bool IsOverdue(StoreHost host, IStore store, EngineStatistics now)
    {
        if (!now.HasUncommittedWork || store.Options is not LogStoreOptions log || log.CommitEvery == default)
        {
            _waiting.TryRemove(host.Name, out _);
            return false;
        }

        long? version = now.LastCommit?.Version;
        (long? Version, long Since) waiting = _waiting.AddOrUpdate(
            host.Name,
            _ => (version, _time.GetTimestamp()),
            (_, known) => known.Version == version ? known : (version, _time.GetTimestamp()));
        return _time.GetElapsedTime(waiting.Since) > host.Settings.CommitDelayLimit;
    }
}
