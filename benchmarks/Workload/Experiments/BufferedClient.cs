using System.Diagnostics;

namespace Faster.Workload.Experiments;

/// <summary>
/// A client that keeps every operation in a buffer until it is durable, so that it could repeat it after a crash (paper
/// 004 §6.2, end-to-end experiment): it asks for a commit when the buffer is 80 % full, and stands still when it is
/// full.
/// </summary>
internal sealed class BufferedClient
{
    private const double AskAt = 0.8;
    private const int LongestChunk = 256;
    private const int ChunksPerBuffer = 16;

    private readonly (long Key, long Value)[] _buffer;
    private readonly Committer _committer;
    private readonly int _chunkLength;
    private IClient? _client;
    private long _durable;
    private long _blockedTicks;

    /// <summary>Makes a client with a buffer of a size.</summary>
    public BufferedClient(int bufferBytes, Committer committer)
    {
        _buffer = new (long, long)[Math.Max(1, bufferBytes / EntryBytes)];
        _committer = committer;
        _chunkLength = Math.Clamp(_buffer.Length / ChunksPerBuffer, 1, LongestChunk);
    }

    /// <summary>The bytes of an entry: a key and a value.</summary>
    public const int EntryBytes = 16;

    /// <summary>How long it has stood still, in seconds; any thread may ask.</summary>
    public double BlockedSeconds => (double)Volatile.Read(ref _blockedTicks) / Stopwatch.Frequency;

    /// <summary>Works through a chunk of keys: what a <see cref="WorkThread"/> does.</summary>
    public void Work(IWorker worker, ReadOnlySpan<long> keys)
    {
        IClient client = _client ?? Connect((IClient)worker);
        while (!keys.IsEmpty)
        {
            long seen = _committer.Ends;
            long accepted = client.Accepted;
            long inFlight = accepted - Volatile.Read(ref _durable);
            if (inFlight >= AskAt * _buffer.Length)
                _committer.Ask();
            int room = (int)Math.Min(_buffer.Length - inFlight, _chunkLength);
            if (room <= 0)
            {
                StandStill(seen);
                if (_committer.IsStopped)
                    return;
                continue;
            }

            ReadOnlySpan<long> chunk = keys[..Math.Min(room, keys.Length)];
            Keep(chunk, accepted);
            AnswerCheck.CheckMixed(client.Mixed(chunk, AnswerCheck.Updated), chunk);
            keys = keys[chunk.Length..];
        }
    }

    private IClient Connect(IClient client)
    {
        client.Observe(OnDurable);
        return _client = client;
    }

    private void OnDurable(long serialNumber)
    {
        Volatile.Write(ref _durable, serialNumber);
        _committer.Announce();
    }

    private void Keep(ReadOnlySpan<long> chunk, long accepted)
    {
        int at = (int)(accepted % _buffer.Length);
        foreach (long key in chunk)
        {
            _buffer[at] = (Math.Max(key, ~key), key);
            at = at + 1 == _buffer.Length ? 0 : at + 1;
        }
    }

    private void StandStill(long seen)
    {
        long start = Stopwatch.GetTimestamp();
        _committer.WaitForEnd(seen);
        Volatile.Write(ref _blockedTicks, _blockedTicks + Stopwatch.GetTimestamp() - start);
    }
}
