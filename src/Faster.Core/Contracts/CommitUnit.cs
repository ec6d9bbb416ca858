using System.ComponentModel;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// Several operations of a session under one serial number: a commit has all of them or none. They are the session's
/// ordinary ones, called between its <c>BeginUnit</c> and <see cref="Complete"/>.
/// </summary>
/// <remarks>
/// <para>Not completed, a unit that has written anything is <i>failed</i> when it is disposed of, for what it has
/// written can't be taken back: its session refuses operations, and the store makes no commit that would have a part of
/// the unit, until it is opened again at its last commit. A unit that has written nothing leaves no trace.</para>
/// <para>It belongs to the thread that began it. A default value, as of a fake, does nothing.</para>
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct CommitUnit : IDisposable
{
    private readonly IUnitSession? _session;
    private readonly long _serialNumber;

    internal CommitUnit(IUnitSession session, long serialNumber) =>
        (_session, _serialNumber) = (session, serialNumber);

    /// <summary>Waits for the unit's pending operations, and ends it: its number is the session's last.</summary>
    /// <exception cref="FasterException">
    /// <see cref="ErrorReason.UnitFailed"/>: a pending operation has failed, and so the unit; or a completion callback
    /// has thrown.
    /// </exception>
    /// <exception cref="SessionMisuseException">The unit has ended.</exception>
    public void Complete() => _session?.EndUnit(_serialNumber, completes: true);

    /// <summary>
    /// Ends the unit for its caller; it ends when its pending operations have, for which no thread waits. Until then
    /// the session refuses calls, also those of completion callbacks. What an awaited operation waits for takes no
    /// thread either, space in the log included.
    /// </summary>
    /// <remarks>There is no token: half of a unit can't be taken back.</remarks>
    /// <inheritdoc cref="Complete"/>
    public ValueTask CompleteAsync() => _session?.EndUnitAsync(_serialNumber) ?? default;

    /// <summary>Ends the unit: as failed if it has written anything and was not completed. Idempotent.</summary>
    public void Dispose() => _session?.EndUnit(_serialNumber, completes: false);
}
