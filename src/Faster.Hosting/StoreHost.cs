using System.Diagnostics;
using Faster.Contracts;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace Faster.Hosting;

/// <summary>
/// A store's life in an application: it is open before the first hosted service starts, or earlier if something asks
/// for it, and closed after the last has stopped.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The store is opened once, and closed if it was opened, whether or not anything has asked for it.</item>
/// <item>It is committed before it is closed, so that a close that takes too long loses nothing.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class StoreHost : IHostedLifecycleService, IAsyncDisposable, IDisposable
{
    private static readonly ActivitySource Activities = new(FasterTelemetry.Name);
    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(100), Watch = TimeSpan.FromSeconds(1);

    private readonly HostEntry _entry;
    private readonly HostServices _services;
    private readonly ILogger _log;
    private readonly Lazy<Task<IStore>> _opening;
    private readonly Lazy<Task> _closing;
    private readonly CancellationTokenSource _stop = new();
    private IDisposable? _configuration;
    private ITimer? _watch;
    private long _faults;
    private (Exception Fault, long Moment)? _lastFault;
    private bool _isStopping;
    private bool _isReported; // what closing throws, by the end of the host

    /// <summary>Makes the host of a store, which is not open yet.</summary>
    public StoreHost(HostEntry entry, HostServices services)
    {
        (_entry, _services) = (entry, services);
        _log = services.Logs.CreateLogger("Faster." + entry.Name);
        _opening = new Lazy<Task<IStore>>(() => Task.Run(OpenAsync));
        _closing = new Lazy<Task>(CloseAsync);
        services.Meters.Add(this);
    }

    /// <summary>The store's name.</summary>
    public string Name => _entry.Name;

    /// <summary>The settings; throws all errors of them.</summary>
    public FasterSettings Settings => _services.Settings.Get(Name);

    /// <summary>The store, if it is open.</summary>
    public IStore? Opened => _opening is { IsValueCreated: true, Value: { IsCompletedSuccessfully: true } task }
        && !_closing.IsValueCreated ? task.Result : null;

    /// <summary>The store; opens it, and waits for that, if the host has not started yet.</summary>
    public IStore Store
    {
        get
        {
            ObjectDisposedException.ThrowIf(_closing.IsValueCreated, this);
            return _opening.Value.GetAwaiter().GetResult();
        }
    }

    /// <summary>The number of internal faults.</summary>
    public long Faults => Interlocked.Read(ref _faults);

    /// <summary>The last fault, if it is not older than a time.</summary>
    public Exception? FaultWithin(TimeSpan time)
    {
        lock (_opening)
            return _lastFault is { } last && _services.Time.GetElapsedTime(last.Moment) <= time ? last.Fault : null;
    }

    /// <inheritdoc/>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        await using CancellationTokenRegistration registration = cancellationToken.Register(_stop.Cancel);
        await _opening.Value.ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        if (Opened is ICommittingStore { Options: LogStoreOptions { CommitOnDispose: true } } store
            && !Settings.IsInMemory)
        {
            try
            {
                Commit commit = await store.CommitAsync(cancellationToken).ConfigureAwait(false);
                _log.CommittedLast(Name, commit.Version);
            }
            catch (Exception e) when (e is FasterException or OperationCanceledException)
            {
                _log.LastCommitFailed(Name, e);
            }
        }

        _isReported = true;
        await _closing.Value.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        var options = _isReported ? ConfigureAwaitOptions.SuppressThrowing : ConfigureAwaitOptions.None;
        await _closing.Value.ConfigureAwait(options);
        _stop.Dispose();
    }

    private async Task<IStore> OpenAsync()
    {
        FasterSettings settings = Settings;
        string? path = settings.IsInMemory ? null : settings.Path;
        EngineOptions options = new SettingsCheck(Name, _entry.Defaults).ToOptions(settings, _services.Time);
        using Activity? activity = Activities.StartActivity(FasterTelemetry.OpenActivity);
        activity?.SetTag(FasterTelemetry.StoreTag, Name);
        long start = _services.Time.GetTimestamp();
        _log.Opening(Name, path ?? "in memory");
        IStore store = await OpenAsync(path, options, settings.WaitForFolder).ConfigureAwait(false);
        _log.Opened(Name, _services.Time.GetElapsedTime(start));
        Listen(store, settings);
        return store;
    }

    // The old process of a rolling restart may have the folder for a while.
    private async Task<IStore> OpenAsync(string? path, EngineOptions options, TimeSpan limit)
    {
        var progress = new RecoveryLog(_log, Name, _services.Time);
        long start = _services.Time.GetTimestamp();
        for (bool isFirst = true;; isFirst = false)
        {
            try
            {
                return await _entry.Open(path, options, progress, _stop.Token).ConfigureAwait(false);
            }
            catch (StoreOpenException e) when (e.MayRetry && _services.Time.GetElapsedTime(start) < limit)
            {
                if (isFirst) _log.WaitsForFolder(Name, limit, e.Message);
            }

            await Task.Delay(RetryPause, _services.Time, _stop.Token).ConfigureAwait(false);
        }
    }

    private void Listen(IStore store, FasterSettings settings)
    {
        if (store is IFaultStore faulty) faulty.FaultOccurred += (_, e) => OnFault(e.Fault);
        if (store is ICommittingStore committing) committing.Committed += OnCommitted;
        if (settings.StopWhenPoisoned)
            _watch = _services.Time.CreateTimer(_ => StopIfPoisoned(store), null, Watch, Watch);
        if (_services.Configuration is not { } configuration) return;
        IConfigurationSection section = configuration.GetSection("Faster:" + Name);
        string before = TextOf(section);
        _configuration = ChangeToken.OnChange(section.GetReloadToken, () =>
        {
            string now = TextOf(section);
            if (Interlocked.Exchange(ref before, now) != now) _log.ConfigurationChanged(Name);
        });
    }

    private static string TextOf(IConfigurationSection section) =>
        string.Join('\n', section.GetChildren().Select(static setting => $"{setting.Key}={setting.Value}"));

    private void OnFault(Exception fault)
    {
        Interlocked.Increment(ref _faults);
        lock (_opening) _lastFault = (fault, _services.Time.GetTimestamp());
        _log.Fault(Name, fault);
    }

    private void OnCommitted(Commit commit)
    {
        _services.Meters.OnCommitted(Name, commit.Elapsed);
        if (!Activities.HasListeners()) return;
        DateTimeOffset end = _services.Time.GetUtcNow();
        using Activity? activity = Activities.StartActivity(
            FasterTelemetry.CommitActivity, ActivityKind.Internal, default(ActivityContext),
            startTime: end - commit.Elapsed);
        activity?.SetTag(FasterTelemetry.StoreTag, Name).SetEndTime(end.UtcDateTime);
    }

    private void StopIfPoisoned(IStore store)
    {
        if (!store.Statistics.IsPoisoned || Interlocked.Exchange(ref _isStopping, true)) return;
        _log.StopsWhenPoisoned(Name);
        _services.Lifetime?.StopApplication();
    }

    private async Task CloseAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        _configuration?.Dispose();
        if (_watch is { } watch) await watch.DisposeAsync().ConfigureAwait(false);
        _services.Meters.Remove(this);
        if (!_opening.IsValueCreated) return;
        IStore store;
        try
        {
            store = await _opening.Value.ConfigureAwait(false);
        }
        catch (Exception)
        {
            return; // whoever asked for the store has the error
        }

        await store.DisposeAsync().ConfigureAwait(false);
        _log.Closed(Name);
    }
}
