namespace Faster.OperationLogs;

/// <summary>
/// Space at the tail of a log that the caller owns: it writes a record there, and publishes it or lets go of the log.
/// </summary>
/// <remarks>One owner from the reservation to the publication. Valid once.</remarks>
internal readonly unsafe ref struct LogReservation
{
    private readonly OperationLog _log;
    private readonly int _pad; // the bytes before it, up to the end of the space

    /// <summary>Made by the log that the caller owns.</summary>
    public LogReservation(OperationLog log, byte* pointer, int pad)
    {
        (_log, _pad) = (log, pad);
        Pointer = pointer;
    }

    /// <summary>The space.</summary>
    public byte* Pointer { get; }

    /// <summary>The log's number.</summary>
    public int Log => _log.Number;

    /// <summary>Publishes the record: the next sync makes it durable. Ends the ownership.</summary>
    /// <returns>Where it ends.</returns>
    public LogPlace Publish() => _log.Publish(Pointer, _pad);

    /// <summary>Ends the ownership with nothing appended.</summary>
    public void Release() => _log.Release();
}
