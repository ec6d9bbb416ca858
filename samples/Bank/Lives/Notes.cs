using System.Diagnostics;
using Bank.Commands;

namespace Bank.Lives;

/// <summary>What all lives of a run have said.</summary>
/// <remarks>Written by one thread at a time; a status line may read the counts meanwhile.</remarks>
internal sealed class Notes(BankOptions options)
{
    private readonly Stopwatch _clock = new();
    private long[]? _last;
    private long _lastMoment;
    private long _transfers;

    /// <summary>The least points of opening and tellers that the store must have.</summary>
    public long[] Promised { get; } = new long[options.Sessions + 1];

    /// <summary>The last numbers of the tellers that have returned.</summary>
    public long[] Acknowledged { get; private set; } = new long[options.Sessions];

    /// <summary>How many transfers have returned between two moments of the lives' time, in milliseconds.</summary>
    public List<(long From, long To, long Transfers)> Samples { get; } = [];

    /// <summary>When commits began and ended, in milliseconds of the lives' time.</summary>
    public List<(long From, long To)> Commits { get; } = [];

    /// <summary>When lives were killed, in milliseconds of the lives' time.</summary>
    public List<long> Kills { get; } = [];

    /// <summary>How many transfers have returned.</summary>
    public long Transfers => Volatile.Read(ref _transfers);

    /// <summary>The time that lives have had.</summary>
    public TimeSpan Lived => _clock.Elapsed;

    /// <summary>The transfers in a second in which there were any.</summary>
    public double PerSecond => Samples.Count == 0
        ? 0
        : Transfers * 1000.0 / Math.Max(Samples.Sum(static sample => sample.To - sample.From), 1);

    /// <summary>A life begins.</summary>
    public void Begin()
    {
        _last = null;
        _clock.Start();
    }

    /// <summary>A life has ended.</summary>
    /// <param name="isKilled">Whether it was killed.</param>
    public void End(bool isKilled)
    {
        _clock.Stop();
        if (isKilled) Kills.Add(_clock.ElapsedMilliseconds);
    }

    /// <summary>A life has said something.</summary>
    public void Add(LifeLine line)
    {
        long now = _clock.ElapsedMilliseconds;
        if (line.Word == LifeLine.CommitWord)
        {
            Commits.Add((Math.Max(now - line.Numbers[0], 0), now));
            for (int i = 0; i < Promised.Length; i++) Promised[i] = Math.Max(Promised[i], line.Numbers[i + 1]);
            return;
        }

        if (_last is { } last)
        {
            long transfers = line.Numbers.Sum() - last.Sum();
            Samples.Add((_lastMoment, now, transfers));
            Volatile.Write(ref _transfers, _transfers + transfers);
        }

        (_last, _lastMoment, Acknowledged) = (line.Numbers, now, line.Numbers);
        if (!options.Mode.KeepsAcknowledged) return;
        for (int i = 0; i < line.Numbers.Length; i++) Promised[i + 1] = Math.Max(Promised[i + 1], line.Numbers[i]);
    }
}
