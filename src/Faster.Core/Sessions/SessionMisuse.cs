using System.Diagnostics.CodeAnalysis;

namespace Faster.Sessions;

/// <summary>
/// Throws the exceptions of a session that refuses a call: overlapping calls, reentry, or a closed session or store.
/// </summary>
internal static class SessionMisuse
{
    /// <summary>Throws because another call is under way.</summary>
    /// <param name="session">The session, so that a hit need not load its name.</param>
    [DoesNotReturn]
    public static void ThrowInUse(SessionCore session) => throw new SessionMisuseException(
        $"{NameOf(session.Name)} is in use by another call: a second thread uses it at the same time, or a user "
        + "function calls it. Use one session for each logical client, one call at a time, and dispose of it when "
        + "the last one has returned.");

    /// <summary>Throws because a user function has called its own store.</summary>
    /// <param name="sessionName">
    /// The name of the session that it used; null if it used none, or one without a name.
    /// </param>
    [DoesNotReturn]
    public static void ThrowReentry(string? sessionName) => throw new SessionMisuseException(
        $"A user function called its own store{(sessionName is null ? "" : $", in session '{sessionName}'")}. It runs "
        + "inside an operation, and the call may wait for it: call the store after the operation, or in its "
        + "completion callback.");

    /// <summary>Throws the reason why the session accepts no calls.</summary>
    /// <param name="sessionName">The session's name, or null.</param>
    /// <param name="isInside">Whether the caller is a user function of the store.</param>
    /// <param name="isStoreClosed">Whether the session's store has been closed.</param>
    [DoesNotReturn]
    public static void ThrowRefused(string? sessionName, bool isInside, bool isStoreClosed)
    {
        if (isInside) ThrowReentry(sessionName);
        if (isStoreClosed)
        {
            throw new ObjectDisposedException(
                "Store", $"The store of {(sessionName is null ? "the session" : $"session '{sessionName}'")} has been "
                + "closed. Open it again, and start a new session.");
        }

        throw new SessionMisuseException(
            $"{NameOf(sessionName)} has been disposed of, or is being disposed of. Start a new one.");
    }

    /// <summary>Throws because a unit of the session is open, or what it refers to has ended.</summary>
    /// <param name="sessionName">The session's name, or null.</param>
    /// <param name="serialNumber">The number of the open unit; 0 if none is open.</param>
    [DoesNotReturn]
    public static void ThrowInUnit(string? sessionName, long serialNumber) => throw new SessionMisuseException(
        serialNumber == 0
            ? $"The unit of {NameOf(sessionName)} that is completed has ended. Complete each unit once."
            : $"{NameOf(sessionName)} has an open unit, under serial number {serialNumber}. Complete it before another "
                + "one is begun, a batch gets a number of its own, a number is set, or a commit is requested: the "
                + "commit would wait for the unit.");

    private static string NameOf(string? sessionName) =>
        sessionName is null ? "The session" : $"Session '{sessionName}'";
}
