namespace Faster.Testing;

/// <summary>Asserts errors of the library that have no class of their own.</summary>
internal static class Errors
{
    /// <summary>An action throws an error of a reason.</summary>
    public static FasterException Throws(ErrorReason reason, Action action) =>
        Is(reason, Assert.Throws<FasterException>(action));

    /// <inheritdoc cref="Throws(ErrorReason, Action)"/>
    public static FasterException Throws(ErrorReason reason, Func<object?> action) =>
        Is(reason, Assert.Throws<FasterException>(action));

    /// <inheritdoc cref="Throws(ErrorReason, Action)"/>
    public static async Task<FasterException> ThrowsAsync(ErrorReason reason, Func<Task> action) =>
        Is(reason, await Assert.ThrowsAsync<FasterException>(action));

    /// <summary>An exception is an error of a reason.</summary>
    public static FasterException Is(ErrorReason reason, object? exception)
    {
        var error = Assert.IsType<FasterException>(exception);
        Assert.Equal(reason, error.Reason);
        return error;
    }
}
