using System.Collections.Concurrent;
using System.Diagnostics;
using FASTER.core;
using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Peer;

/// <summary>
/// FasterLog with a dictionary in front: each write goes to the log and to the dictionary, and is acknowledged when the
/// log is committed beyond it. One commit is under way at a time, and the next begins when anything was written since.
/// The log is never shortened. Two writers of one key may enter the dictionary in another order than the log.
/// </summary>
internal sealed class LoggedEngine : IDurableEngine
{
    private readonly ConcurrentDictionary<long, Bytes100> _values;
    private readonly IDevice _device;
    private readonly FasterLogSettings _settings;
    private readonly FasterLog _log;
    private readonly SemaphoreSlim _wanted = new(0);
    private readonly Task _committing;
    private int _isWanted;
    private long _commits;
    private long _ticks;
    private volatile bool _stop;

    /// <summary>Opens an empty log, or recovers what is in the folder.</summary>
    public LoggedEngine(string folder, EngineShape shape)
    {
        _values = new ConcurrentDictionary<long, Bytes100>(Environment.ProcessorCount, (int)shape.Keys);
        _device = Devices.CreateLogDevice(Path.Combine(folder, "log"));
        _settings = new FasterLogSettings
        {
            LogDevice = _device, FastCommitMode = true, LogChecksum = LogChecksumType.PerEntry,
        };
        _log = new FasterLog(_settings);
        Recover();
        _committing = Task.Run(CommitAsync);
    }

    /// <inheritdoc/>
    public SyncCounts? Syncs =>
        new(Volatile.Read(ref _commits), Volatile.Read(ref _ticks) / (double)Stopwatch.Frequency);

    /// <inheritdoc/>
    public IWorker StartWorker() => new LoggedWorker(this);

    /// <inheritdoc/>
    public IAwaitedWriter StartAwaitedWriter(int depth) => new LoggedWriter(this, depth);

    /// <summary>Writes values, not durable yet.</summary>
    /// <returns>How far the log must be committed.</returns>
    public long Write(LoggedBatch batch)
    {
        long address = _log.Enqueue(batch);
        batch.CopyTo(_values);
        if (Interlocked.Exchange(ref _isWanted, 1) == 0)
            _wanted.Release();
        return address + 1; // what is allocated at once is committed at once
    }

    /// <summary>Waits until the log is committed up to an address.</summary>
    public ValueTask WaitAsync(long address) => _log.WaitForCommitAsync(address);

    /// <summary>The word of a key's value.</summary>
    /// <exception cref="WrongAnswerException">It is not there.</exception>
    public long WordOf(long key) => _values.TryGetValue(key, out Bytes100 value)
        ? ValueWord.Of(ref value)
        : throw new WrongAnswerException($"FasterLog lost key {key}.");

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _stop = true;
        _wanted.Release();
        await _committing;
        _log.Dispose();
        _settings.Dispose();
        _device.Dispose();
        _wanted.Dispose();
    }

    private void Recover()
    {
        using FasterLogScanIterator entries = _log.Scan(_log.BeginAddress, _log.CommittedUntilAddress);
        while (entries.GetNext(out byte[] entry, out int length, out _))
            LoggedBatch.CopyTo(entry.AsSpan(0, length), _values);
    }

    private async Task CommitAsync()
    {
        while (true)
        {
            await _wanted.WaitAsync();
            if (_stop)
                return;
            Volatile.Write(ref _isWanted, 0);
            long start = Stopwatch.GetTimestamp();
            await _log.CommitAsync();
            Volatile.Write(ref _ticks, _ticks + (Stopwatch.GetTimestamp() - start));
            Volatile.Write(ref _commits, _commits + 1);
        }
    }
}
