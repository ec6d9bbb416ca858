using System.ComponentModel;
using System.Reflection;

namespace Faster.Tests.House;

/// <summary>
/// What an editor offers is what a user needs: each public type is on the list of user-facing types, or is hidden.
/// </summary>
public class UserTypesTests
{
    private const string List = "test/Faster.Core.Tests/House/UserTypes.txt";

    [Fact]
    public void Every_public_type_is_for_users_or_hidden()
    {
        HashSet<string> users = [.. Listed()];
        Assert.All(Public(), type => Assert.True(
            users.Contains(type.FullName!) != IsHidden(type),
            $"{type.FullName} must either be on the list {List}, or have "
            + "[EditorBrowsable(EditorBrowsableState.Never)] because only emitted code needs it."));
    }

    [Fact]
    public void The_list_has_types_of_the_users_namespaces_only_and_each_once()
    {
        string[] listed = Listed();
        Assert.InRange(listed.Length, 40, 60); // fewer: it was not read to its end
        Assert.Equal(listed.Distinct(), listed);
        Dictionary<string, Type> types = Public().ToDictionary(type => type.FullName!);
        Assert.All(listed, name =>
        {
            Assert.True(types.ContainsKey(name), $"{name} on the list {List} is not a public type.");
            Assert.True(types[name].Namespace is "Faster" or "Faster.Devices",
                $"{name} is for users, so it belongs in the namespace Faster or Faster.Devices.");
        });
    }

    private static Type[] Public() => typeof(StoreOptions).Assembly.GetExportedTypes();

    private static bool IsHidden(Type type) =>
        type.GetCustomAttribute<EditorBrowsableAttribute>(inherit: false)?.State == EditorBrowsableState.Never;

    private static string[] Listed() => [.. Repository.Read(List).Split('\n').Select(line => line.Trim())
        .Where(line => line.Length > 0 && line[0] != '#')];
}
