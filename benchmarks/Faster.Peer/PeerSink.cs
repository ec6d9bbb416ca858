using System.Diagnostics;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>Takes the outcomes of one session's operations that went pending. The session's thread calls it.</summary>
internal sealed class PeerSink
{
    /// <summary>How many operations a session may have under way.</summary>
    public const int MaxPending = 128;

    private long _told;

    /// <summary>How many operations are under way.</summary>
    public int Pending { get; set; }

    /// <summary>Where the times of watched operations go; a watched one carries its start as its context.</summary>
    public LatencyHistogram? Latencies { get; set; }

    /// <summary>Receives the words of reads to check; their context is the place here plus one.</summary>
    public long[]? Words { get; set; }

    /// <summary>What has been told since the last call.</summary>
    public long TakeTold()
    {
        long told = _told;
        _told = 0;
        return told;
    }

    /// <summary>A read has ended.</summary>
    public void EndRead(Status status, long word, long context)
    {
        if (!status.Found)
            PeerStatus.Throw(status);
        if (Words is { } words)
            words[context - 1] = word;
        else
            _told += ValueWord.KeyOf(word);
        End(Words is null ? context : 0);
    }

    /// <summary>An update has ended.</summary>
    public void EndUpdate(Status status, long context)
    {
        if (status.IsFaulted)
            PeerStatus.Throw(status);
        End(context);
    }

    /// <summary>Records the time of an operation, if it was watched.</summary>
    public void Watched(long start)
    {
        if (start != 0)
            Latencies?.Record(Stopwatch.GetTimestamp() - start);
    }

    private void End(long context)
    {
        Pending--;
        Watched(context);
    }
}
