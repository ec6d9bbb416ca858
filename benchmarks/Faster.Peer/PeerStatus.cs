using System.Diagnostics.CodeAnalysis;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>Checks the peer's answers: everything is in memory, so nothing may be pending or missing.</summary>
internal static class PeerStatus
{
    /// <summary>Requires that a key was found.</summary>
    public static void RequireFound(Status status)
    {
        if (!status.Found)
            Throw(status);
    }

    /// <summary>Requires that an update was made at once.</summary>
    public static void RequireDone(Status status)
    {
        if (status.IsPending)
            Throw(status);
    }

    [DoesNotReturn]
    private static void Throw(Status status) =>
        throw new WrongAnswerException($"The peer answered '{status}' for a key that is in memory.");
}
