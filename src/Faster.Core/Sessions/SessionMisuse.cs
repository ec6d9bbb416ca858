using System.Diagnostics.CodeAnalysis;

namespace Faster.Sessions;

/// <summary>How a session refuses a call while another one is under way, or after it or its store was closed.</summary>
internal static class SessionMisuse
{
    /// <summary>Says that another call is under way.</summary>
    [DoesNotReturn]
    public static void ThrowInUse(string? sessionName) => throw new SessionMisuseException(
        $"{NameOf(sessionName)} is in use by another call: a second thread uses it at the same time, or a user "
        + "function calls it. Use one session for each logical client, one call at a time, and dispose of it when "
        + "the last one has returned.");

    /// <summary>Says that a user function has called its own store.</summary>
    /// <param name="sessionName">The session that it used; null: none, or one without a name.</param>
    [DoesNotReturn]
    public static void ThrowReentry(string? sessionName) => throw new SessionMisuseException(
        $"A user function called its own store{(sessionName is null ? "" : $", by session '{sessionName}'")}. It runs "
        + "inside an operation, and what it waits for may wait for that: call the store after the operation, or in its "
        + "completion callback.");

    /// <summary>Says why the session takes no calls.</summary>
    /// <param name="sessionName">The session's name, or null.</param>
    /// <param name="isInside">Whether a user function of the store calls.</param>
    /// <param name="isStoreClosed">Whether its store has been closed.</param>
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
            $"{NameOf(sessionName)} has been disposed of, or is just being. Start a new one.");
    }

    private static string NameOf(string? sessionName) =>
        sessionName is null ? "The session" : $"Session '{sessionName}'";
}
