using System.ComponentModel;
using Faster.Contracts;

namespace Faster;

/// <summary>A session of any class whose engine commits. Its bodies are those of a fake.</summary>
/// <remarks>Not thread-safe: it may move between threads, but its calls must not overlap.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommittingSession : ISession
{
    /// <inheritdoc cref="Sessions.CommittingSession.Name"/>
    string? Name => null;

    /// <inheritdoc cref="Sessions.CommittingSession.SerialNumber"/>
    long SerialNumber => 0;

    /// <inheritdoc cref="Sessions.CommittingSession.RecoveredPoint"/>
    CommitPoint RecoveredPoint => new(Name, 0, 0);

    /// <inheritdoc cref="Sessions.CommittingSession.LastCommit"/>
    CommitPoint LastCommit => RecoveredPoint;

    /// <inheritdoc cref="Sessions.CommittingSession.SetNextSerialNumber"/>
    void SetNextSerialNumber(long serialNumber) => throw FakeMember.NotImplemented();

    /// <inheritdoc cref="Sessions.CommittingSession.BeginUnit"/>
    CommitUnit BeginUnit(long serialNumber) => default;

    /// <inheritdoc cref="Sessions.CommittingSession.CommitAsync"/>
    Task<CommitPoint> CommitAsync(CancellationToken cancellationToken = default) =>
        throw new NotSupportedException("The store has no folder.");
}
