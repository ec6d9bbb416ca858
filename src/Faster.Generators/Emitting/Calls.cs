using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes calls of user functions.</summary>
internal static class Calls
{
    /// <summary>A call with the arguments that the roles ask for.</summary>
    /// <param name="store">The store.</param>
    /// <param name="function">The function to call.</param>
    /// <param name="arguments">The arguments by role; one that is null is not asked for.</param>
    public static string Of(
        StoreModel store, FunctionModel function, params (Role Role, string? Argument)[] arguments)
    {
        IEnumerable<string> written = function.Parameters.Select(p =>
        {
            string argument = arguments.First(a => a.Role == p.Role).Argument!;
            return p.Passing switch
            {
                Passing.Ref => "ref " + argument,
                Passing.Out => "out " + argument,
                _ => argument,
            };
        });
        return $"{store.FullName}.{function.Name}({string.Join(", ", written)})";
    }

    /// <summary>Adds what quiets nullable analysis where a user's annotation may differ.</summary>
    public static string Forgiving(string argument, bool isReference) => isReference ? argument + "!" : argument;
}
