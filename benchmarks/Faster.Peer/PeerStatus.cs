using System.Diagnostics.CodeAnalysis;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>Checks the peer's answers.</summary>
internal static class PeerStatus
{
    /// <summary>Requires that an operation is done and found its key, or waits for the disk.</summary>
    /// <returns>Whether it is done.</returns>
    public static bool IsFound(Status status)
    {
        if (status.Found)
            return true;
        if (!status.IsPending)
            Throw(status);
        return false;
    }

    /// <summary>Requires that an update was made, or waits for the disk.</summary>
    /// <returns>Whether it is done.</returns>
    public static bool IsDone(Status status)
    {
        if (status.IsFaulted)
            Throw(status);
        return !status.IsPending;
    }

    /// <summary>Fails the run.</summary>
    [DoesNotReturn]
    public static void Throw(Status status) =>
        throw new WrongAnswerException($"The peer answered '{status}' for a key that was loaded.");
}
