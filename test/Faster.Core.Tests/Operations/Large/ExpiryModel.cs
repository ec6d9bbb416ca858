using Faster.Contracts;
using Faster.LogSessions;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;

namespace Faster.Tests.Operations.Large;

/// <summary>Changes a store of bytes and a model that knows the time, so that they can be compared.</summary>
internal sealed class ExpiryModel(HashSession session, ManualTime time)
{
    private readonly Dictionary<int, (byte[] Value, long Expiry)> _values = [];
    private long _life; // in milliseconds; 0: what is written does not expire

    private long Renewed => _life == 0 ? long.MaxValue : time.Now + _life;

    /// <summary>The value that a key has now.</summary>
    public byte[]? Live(int key) =>
        _values.TryGetValue(key, out (byte[] Value, long Expiry) state) && state.Expiry > time.Now
            ? state.Value
            : null;

    /// <summary>Sets the session's time to live.</summary>
    public void SetLife(long milliseconds) =>
        session.TimeToLive = TimeSpan.FromMilliseconds(_life = milliseconds);

    /// <summary>Upserts bytes.</summary>
    public void Put(int key, byte[] bytes)
    {
        session.PutBytes(key, bytes);
        _values[key] = (bytes, Renewed);
    }

    /// <summary>Upserts a sequence.</summary>
    public async Task PutSequenceAsync(int key, byte[] bytes)
    {
        Assert.Equal(Status.Ok, await session.PutAsync(key, new(bytes)));
        _values[key] = (bytes, Renewed);
    }

    /// <summary>Appends: without a time to live, the value keeps its expiry.</summary>
    public void Append(int key, byte[] bytes)
    {
        byte[] old = Live(key) ?? [];
        long kept = Live(key) is null ? long.MaxValue : _values[key].Expiry;
        session.Append(key, bytes);
        _values[key] = ([.. old, .. bytes], _life == 0 ? kept : Renewed);
    }

    /// <summary>Deletes.</summary>
    public void Remove(int key)
    {
        _ = session.RemoveBytes(key);
        _values.Remove(key);
    }
}
