namespace Faster.MemoryProbe.Bounds;

/// <summary>A session of a store of any engine; updates that its memory has no space for are counted.</summary>
/// <param name="session">The session.</param>
/// <param name="put">Writes a value: an upsert, or an update that merges.</param>
/// <param name="delete">Deletes a key.</param>
/// <param name="complete">Completes what is pending.</param>
internal sealed class BoundedSession(
    IDisposable session, Func<long, ReadOnlySpan<byte>, Status> put, Func<long, Status> delete, Action complete)
    : IDisposable
{
    private const int MaxPending = 64;

    private int _pending;

    /// <summary>Sets how long what is written lives; null where nothing expires.</summary>
    public Action<TimeSpan>? SetTimeToLive { get; init; }

    /// <summary>The bytes of values written.</summary>
    public long Written { get; private set; }

    /// <summary>The number of updates that were refused because the store was full.</summary>
    public long Refused { get; private set; }

    /// <summary>Writes a value.</summary>
    public void Put(long key, ReadOnlySpan<byte> value)
    {
        Written += value.Length;
        try
        {
            Note(put(key, value));
        }
        catch (LimitExceededException)
        {
            Refused++;
        }
    }

    /// <summary>Deletes a key.</summary>
    public void Delete(long key)
    {
        try
        {
            Note(delete(key));
        }
        catch (LimitExceededException)
        {
            Refused++;
        }
    }

    /// <summary>Completes what is pending.</summary>
    public void Complete()
    {
        _pending = 0;
        complete();
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    private void Note(Status status)
    {
        if (status == Status.Pending && ++_pending >= MaxPending) Complete();
    }
}
